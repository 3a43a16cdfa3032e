/* mark.c: the NF `mark` of the chain `flood`, as written. */
#include "chain.h"
#include "fields.h"

/* A packet that arrives at `mark` on its side `in`. */
void mark_in(struct burst *burst, struct packet *packet)
{
    if (++packet->visits[VISIT_MARK_IN] > 2) {
        drop(burst, COUNTER_MARK_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    count(burst, COUNTER_MARK_SEEN, 1);
    const uint64_t next = (packet_eth_src(packet) + 16) & 0xffffffffffffull;
    struct packet pkt = *packet;
    packet_set_eth_src(&pkt, next);
    if (next >= 256) {
        burst->generated += 1;
        drop(burst, COUNTER_MARK_DEAD);
        packet_emit(&pkt, INTERFACE_A, burst->out);
        return;
    }
    burst->generated += 2;
    packet_emit(&pkt, INTERFACE_B, burst->out);
    mark_in(burst, &pkt);
    packet_emit(packet, INTERFACE_A, burst->out);
}
