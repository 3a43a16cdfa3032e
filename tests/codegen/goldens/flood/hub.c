/* hub.c: the NF `hub` of the chain `flood`, as written. */
#include "chain.h"
#include "fields.h"

/* A packet that arrives at `hub` on its side `in`. */
void hub_in(struct burst *burst, struct packet *packet)
{
    packet_parse(packet);

    struct packet pkt = *packet;
    packet_set_eth_src(&pkt, MAC(0x00, 0x00, 0x00, 0x00, 0x00, 0x01));
    burst->generated += 2;
    mark_in(burst, &pkt);
    packet_emit(packet, INTERFACE_B, burst->out);
    mark_in(burst, packet);
}
