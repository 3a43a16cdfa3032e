/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"

struct core_state {
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    uint64_t epoch;
};

#endif
