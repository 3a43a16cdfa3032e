/* flow.h: what is remembered of a flow of the chain `isp_chain`. */
#ifndef FLOW_H
#define FLOW_H

#include "state.h"
#include "runtime/flow_cache.h"
#include "runtime/static_tables.h"

/* A flow entry: memos, each checked when it is used. Zeros are memos of nothing. */
struct flow {
    uint64_t epoch;             /* of the static tables that were asked */
    struct rules_memo acl_rules[1];
    struct route_memo router_routes[1];
    uint32_t nat_bindings[2];
} __attribute__((aligned(KEYED_LINE_BYTES)));

/* Find a packet's entry and begin to fetch it. */
static inline struct flow *flow_of(const struct core_state *state, const struct packet *packet)
{
    struct flow *flow = &state->flows[flow_number(packet, state->secret)];
    for (size_t at = 0; at < sizeof *flow; at += KEYED_LINE_BYTES)
        keyed_fetch((const uint8_t *)flow + at);
    return flow;
}

/* Forget what tables said that are no longer those in use. */
static inline void flow_renew(struct flow *flow, uint64_t epoch)
{
    if (flow->epoch != epoch)
        *flow = (struct flow){.epoch = epoch};
}

#endif
