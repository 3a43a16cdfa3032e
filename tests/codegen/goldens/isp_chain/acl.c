/* acl.c: the NF `acl` of the chain `isp_chain`, as written. */
#include "chain.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `acl` on its side `inside`. */
void acl_inside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    /* acl.chain:20 */
    if (!packet_has_ipv4(packet)) {
        /* acl.chain:32 */
        drop(burst, COUNTER_ACL_NOT_IPV4);
        return;
    }
    /* acl.chain:21 */
    bool permits = false;
    uint32_t rule = 0;
    const bool matched = rules_decide(tables->acl_rules, packet, &permits, &rule);
    const bool permits_2 = matched && permits;
    /* acl.chain:22 */
    if (!permits_2) {
        drop(burst, COUNTER_ACL_DENIED);
        return;
    }
    /* acl.chain:20 */
    router_lan(burst, packet);
}

/* A packet that arrives at `acl` on its side `outside`. */
void acl_outside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    /* acl.chain:26 */
    if (!packet_has_ipv4(packet)) {
        /* acl.chain:32 */
        drop(burst, COUNTER_ACL_NOT_IPV4);
        return;
    }
    /* acl.chain:27 */
    bool permits = false;
    uint32_t rule = 0;
    const bool matched = rules_decide(tables->acl_rules, packet, &permits, &rule);
    const bool permits_2 = matched && permits;
    /* acl.chain:28 */
    if (!permits_2) {
        drop(burst, COUNTER_ACL_DENIED);
        return;
    }
    /* acl.chain:26 */
    packet_emit(packet, INTERFACE_LAN, burst->out);
}
