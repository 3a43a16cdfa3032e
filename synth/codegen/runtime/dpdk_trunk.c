/* dpdk_trunk.c: tags on the cable to a switch. */
#include "dpdk_trunk.h"

#include <string.h>

enum {
    ADDRESS_BYTES = 12, /* both MAC addresses */
    TAG_BYTES = 4,
    TAG_TYPE = 0x8100,
    VERSION_SHIFT = 13, /* the version is in the priority bits; DEI is 0 */
};

void trunk_create(struct trunk *trunk)
{
    memset(trunk->interfaces, 0xFF, sizeof trunk->interfaces);
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        trunk->interfaces[core_description.tags[i] % TRUNK_TAGS] = (uint16_t)i;
}

uint16_t trunk_take_tag(const struct trunk *trunk, struct rte_mbuf *buffer)
{
    uint8_t *data = rte_pktmbuf_mtod(buffer, uint8_t *);
    if (rte_pktmbuf_data_len(buffer) < ADDRESS_BYTES + TAG_BYTES)
        return TRUNK_NO_INTERFACE;
    unsigned type = (unsigned)data[12] << 8 | data[13];
    unsigned control = (unsigned)data[14] << 8 | data[15];
    if (type != TAG_TYPE || control / TRUNK_TAGS != core_description.tag_version * 2U)
        return TRUNK_NO_INTERFACE;
    uint16_t interface = trunk->interfaces[control % TRUNK_TAGS];
    if (interface != TRUNK_NO_INTERFACE) {
        memmove(data + TAG_BYTES, data, ADDRESS_BYTES);
        rte_pktmbuf_adj(buffer, TAG_BYTES);
    }
    return interface;
}

bool trunk_put_tag(struct rte_mbuf *buffer, uint16_t interface)
{
    uint8_t *data = (uint8_t *)rte_pktmbuf_prepend(buffer, TAG_BYTES);
    if (data == NULL)
        return false;
    unsigned control =
        (unsigned)core_description.tag_version << VERSION_SHIFT | core_description.tags[interface];
    memmove(data, data + TAG_BYTES, ADDRESS_BYTES);
    data[12] = TAG_TYPE >> 8;
    data[13] = TAG_TYPE & 0xFF;
    data[14] = (uint8_t)(control >> 8);
    data[15] = (uint8_t)control;
    return true;
}
