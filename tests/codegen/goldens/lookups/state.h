/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"
#include "runtime/token_bucket.h"

/* Columns of `box.routes`. */
enum {
    BOX_ROUTES_SIDE,
    BOX_ROUTES_MAC,
};

/* Columns of `box.backends`. */
enum {
    BOX_BACKENDS_ADDRESS,
    BOX_BACKENDS_WEIGHT,
};

/* A cell of the vector `box.turn`. */
struct box_turn_cell {
    uint16_t count;
    bool odd;
};

struct core_state {
    struct box_turn_cell *box_turn;
    struct token_bucket *box_police;
    struct sketch *box_seen;
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    struct rules *box_rules;
    struct routes *box_routes;
    struct list *box_backends;
    struct ring *box_picks;
    uint64_t epoch;
};

#endif
