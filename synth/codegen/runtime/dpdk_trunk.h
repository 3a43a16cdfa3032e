/* dpdk_trunk.h: the cable to a switch, on which a VLAN tag says what interface a frame is of. */
#ifndef DPDK_TRUNK_H
#define DPDK_TRUNK_H

#include <sys/types.h>

#include <rte_mbuf.h>

#include "host.h"

enum { TRUNK_TAGS = 4096, TRUNK_NO_INTERFACE = 0xFFFF };

/* Which interface each VLAN id is. */
struct trunk {
    uint16_t interfaces[TRUNK_TAGS];
};

void trunk_create(struct trunk *trunk);

/* Take the switch's tag off a frame in one piece, and return the interface that it names;
 * TRUNK_NO_INTERFACE, and the frame as it was, when it has no tag of this version and chain. */
uint16_t trunk_take_tag(const struct trunk *trunk, struct rte_mbuf *buffer);

/* Put the tag of the interface where a frame leaves in front of it. False when there is no room. */
bool trunk_put_tag(struct rte_mbuf *buffer, uint16_t interface);

#endif
