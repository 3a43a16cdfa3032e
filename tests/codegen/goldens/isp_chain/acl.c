/* acl.c: the NF `acl` of the chain `isp_chain`, as written. */
#include "chain.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `acl` on its side `inside`. */
void acl_inside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    /* acl.chain:18 */
    if (!packet_has_ipv4(packet)) {
        /* acl.chain:30 */
        drop(burst, COUNTER_ACL_NOT_IPV4);
        return;
    }
    /* acl.chain:19 */
    bool permits = false;
    uint32_t rule = 0;
    const bool matched = rules_decide(tables->acl_rules, packet, &permits, &rule);
    const bool permits_2 = matched && permits;
    /* acl.chain:20 */
    if (!permits_2) {
        drop(burst, COUNTER_ACL_DENIED);
        return;
    }
    /* acl.chain:18 */
    router_lan(burst, packet);
}

/* A packet that arrives at `acl` on its side `outside`. */
void acl_outside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    /* acl.chain:24 */
    if (!packet_has_ipv4(packet)) {
        /* acl.chain:30 */
        drop(burst, COUNTER_ACL_NOT_IPV4);
        return;
    }
    /* acl.chain:25 */
    bool permits = false;
    uint32_t rule = 0;
    const bool matched = rules_decide(tables->acl_rules, packet, &permits, &rule);
    const bool permits_2 = matched && permits;
    /* acl.chain:26 */
    if (!permits_2) {
        drop(burst, COUNTER_ACL_DENIED);
        return;
    }
    /* acl.chain:24 */
    packet_emit(packet, INTERFACE_LAN, burst->out);
}
