/* core.h: what a generated core offers to a host, and what it asks of it.
 *
 * The core does no I/O, reads no clock and has no globals. A host owns frames, time and cores: it
 * hands over bursts, and gets back a list of emissions to carry out. Names here are the same for
 * every chain, so hosts are compiled without knowing one.
 */
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest head that a core may rewrite: Ethernet 14, two VLAN tags 8, IPv4 60, TCP 60; or an ICMP
 * error's: Ethernet 14, two VLAN tags 8, IPv4 20, ICMP 8, and of what it quotes IPv4 60, TCP 20. */
#define HEAD_BYTES 142
#define BURST_FRAMES 32

/* A received frame, contiguous, without FCS. The core never writes to `data`. */
struct frame {
    const uint8_t *data;
    uint32_t length;
};

/* One frame to send: frame number `frame` of the burst, its first `head_length` bytes replaced.
 * Or, when `made_length` is not 0, a new frame of that length: the head, then what stands in
 * frame number `frame` from `rest_at` on. */
struct emission {
    uint16_t frame;
    uint16_t interface;
    uint16_t head_length;
    uint16_t rest_at;
    uint16_t made_length;
    uint8_t head[HEAD_BYTES];
};

struct emissions {
    uint32_t count;
    uint32_t capacity;      /* at least core_description.emissions_per_frame * frames in a burst */
    struct emission *items;
};

/* Which free value a `choose` took, in order, so that the interpreter can check and replay it. */
struct choice_log {
    uint64_t count;
    uint64_t capacity;
    struct choice { uint16_t table; uint64_t value; } *items;   /* table: index into choice_tables */
};

/* A static table as data (format by kind, see static_tables.h): the embedded one, or a newer one. */
enum table_kind { TABLE_RULES, TABLE_ROUTES, TABLE_LIST, TABLE_RING };
struct table_blob {
    const char *name;       /* as in the chain: "acl.rules" */
    enum table_kind kind;
    const uint8_t *data;
    size_t size;
};

struct interface_description {
    const char *name;
    uint8_t mac[6];
};

struct core_state;          /* all mutable state of one core */

enum { CORE_ANY = UINT16_MAX, CORE_LINE_BYTES = 128 }; /* two cache lines: CPUs fetch them in pairs */

/* How the chain runs on several cores. */
struct core_plan {
    uint16_t cores;
    bool is_locked;         /* cores share objects behind a lock; else they share nothing that changes */
    const char *text;       /* the plan for a person */
    /* The core that a frame must go to, or CORE_ANY where it makes no difference. */
    uint16_t (*steer)(const struct frame *frame, uint16_t interface);
    /* As core_state_create, for one of the cores. `first` is that of core 0, NULL for itself: it owns
     * what is shared, and is destroyed last. */
    struct core_state *(*create_state)(uint64_t secret, uint16_t core, struct core_state *first,
                                       char *error, size_t error_size);
};

struct core_description {
    const char *chain;
    uint32_t interface_count;
    const struct interface_description *interfaces;
    uint32_t counter_count;                 /* drops and the NFs' own counters */
    const char *const *counter_names;       /* "nat.no_port", "lan.ipv4_truncated" */
    const bool *counter_is_drop;
    uint32_t table_count;
    const struct table_blob *tables;        /* embedded in the binary */
    uint32_t choice_table_count;
    const char *const *choice_tables;       /* names of the keyed tables that choose */
    uint32_t emissions_per_frame;           /* most frames that one received frame can cause */
    /* Behind a switch all interfaces share one port: the VLAN id of each, and the version in the
     * priority bits, of the tag that is in front of every frame. NULL: each has a port of its own. */
    const uint16_t *tags;
    uint8_t tag_version;
    const struct core_plan *plan;           /* NULL: one core */
};
extern const struct core_description core_description;

struct core_tables;         /* the static tables, built; never changed, only swapped whole */

/* Build all static tables from blobs in the order of core_description.tables. NULL, and a
 * message in `error`, when that is not possible. `epoch` tells two generations apart. */
struct core_tables *core_tables_create(const struct table_blob *blobs, uint64_t epoch,
                                       char *error, size_t error_size);
void core_tables_destroy(struct core_tables *tables);

/* `secret`: a number that nobody outside can know, for the hashes of tables whose keys packets choose.
 * It changes nothing that can be seen in frames or counters. */
struct core_state *core_state_create(uint64_t secret, char *error, size_t error_size);
void core_state_destroy(struct core_state *state);

/* Take a burst from one interface at one time (ns, never going back). Emissions are appended in
 * the order in which they must leave; state is changed; counters are committed at the end. */
void core_process(const struct core_tables *tables, struct core_state *state,
                  const struct frame *frames, uint32_t count, uint16_t interface,
                  uint64_t now, struct emissions *out);

/* Let time pass without packets: sweep expired entries, a bounded number at a call. */
void core_tick(struct core_state *state, uint64_t now);

const uint64_t *core_counters(const struct core_state *state);
uint64_t core_generated(const struct core_state *state);    /* frames out beyond those that came in */
void core_log_choices(struct core_state *state, struct choice_log *log);  /* NULL: stop logging */

#endif
