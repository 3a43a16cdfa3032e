/* chain.h: what all files of the chain `napt_firewall_lb` share: interfaces, counters, functions. */
#ifndef CHAIN_H
#define CHAIN_H

/* Handlers that a packet may visit several times, up to their budget. */
enum {
    VISIT_NAT_ROUTER_OUTSIDE,
    VISIT_FIREWALL_INSIDE,
    VISIT_FIREWALL_OUTSIDE,
    VISIT_FIREWALL_ROUTER_INSIDE,
    VISIT_FIREWALL_ROUTER_OUTSIDE,
    VISIT_BALANCER_CLIENTS,
    VISIT_BALANCER_SERVERS,
    VISIT_BALANCER_ROUTER_INSIDE,
    VISITS
};
#define PACKET_VISITS VISITS

#include "runtime/packet.h"

enum {
    INTERFACE_LAN,
    INTERFACE_WAN,
    INTERFACES
};

/* Counters: of each interface one for each admission reason, then the NFs' drops and counters. */
enum counter {
    COUNTERS_OF_ADMISSION = INTERFACES * ADMISSION_REASONS,
    COUNTER_NAT_NOT_TRANSLATED = COUNTERS_OF_ADMISSION,
    COUNTER_NAT_NO_PORT,
    COUNTER_NAT_FRAGMENT,
    COUNTER_NAT_NOT_PUBLIC,
    COUNTER_NAT_NO_BINDING,
    COUNTER_NAT_ROUTER_LINK_BROADCAST,
    COUNTER_NAT_ROUTER_TTL_EXPIRED,
    COUNTER_NAT_ROUTER_ARITHMETIC,
    COUNTER_NAT_ROUTER_NO_ROUTE,
    COUNTER_NAT_ROUTER_NOT_IPV4,
    COUNTER_NAT_ROUTER_CHAIN_LOOP,
    COUNTER_FIREWALL_CHAIN_LOOP,
    COUNTER_FIREWALL_NO_STATE,
    COUNTER_FIREWALL_TABLE_FULL,
    COUNTER_FIREWALL_DENIED,
    COUNTER_FIREWALL_FRAGMENT,
    COUNTER_FIREWALL_NOT_TRACKED,
    COUNTER_FIREWALL_ROUTER_CHAIN_LOOP,
    COUNTER_FIREWALL_ROUTER_LINK_BROADCAST,
    COUNTER_FIREWALL_ROUTER_TTL_EXPIRED,
    COUNTER_FIREWALL_ROUTER_ARITHMETIC,
    COUNTER_FIREWALL_ROUTER_NO_ROUTE,
    COUNTER_FIREWALL_ROUTER_NOT_IPV4,
    COUNTER_BALANCER_CHAIN_LOOP,
    COUNTER_BALANCER_NOT_SERVICE,
    COUNTER_BALANCER_ARITHMETIC,
    COUNTER_BALANCER_TABLE_FULL,
    COUNTER_BALANCER_NO_BACKEND,
    COUNTER_BALANCER_FRAGMENT,
    COUNTER_BALANCER_NOT_BALANCED,
    COUNTER_BALANCER_NO_CONNECTION,
    COUNTER_BALANCER_ROUTER_CHAIN_LOOP,
    COUNTER_BALANCER_ROUTER_LINK_BROADCAST,
    COUNTER_BALANCER_ROUTER_TTL_EXPIRED,
    COUNTER_BALANCER_ROUTER_ARITHMETIC,
    COUNTER_BALANCER_ROUTER_NO_ROUTE,
    COUNTER_BALANCER_ROUTER_NOT_IPV4,
    COUNTERS
};

struct core_state;
struct core_tables;

/* What the handlers need for one burst. Counters are added to the state's when it is done. */
struct burst {
    const struct core_tables *tables;
    struct core_state *state;
    uint64_t now;               /* ns */
    struct emissions *out;
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

static inline void count(struct burst *burst, enum counter counter, uint64_t amount)
{
    burst->counters[counter] += amount;
}

static inline void drop(struct burst *burst, enum counter reason)
{
    count(burst, reason, 1);
}

/* The handlers, by NF and the side where the packet arrives. */
void nat_inside(struct burst *burst, struct packet *packet);
void nat_outside(struct burst *burst, struct packet *packet);
void nat_router_inside(struct burst *burst, struct packet *packet);
void nat_router_outside(struct burst *burst, struct packet *packet);
void firewall_inside(struct burst *burst, struct packet *packet);
void firewall_outside(struct burst *burst, struct packet *packet);
void firewall_router_inside(struct burst *burst, struct packet *packet);
void firewall_router_outside(struct burst *burst, struct packet *packet);
void balancer_clients(struct burst *burst, struct packet *packet);
void balancer_servers(struct burst *burst, struct packet *packet);
void balancer_router_inside(struct burst *burst, struct packet *packet);
void balancer_router_outside(struct burst *burst, struct packet *packet);

#endif
