/* report.h: what became of all packets: in + generated = out + drops + held. */
#ifndef REPORT_H
#define REPORT_H

#include "host.h"

/* What a host drops itself, by interface. Names are `<interface>.<reason>`. */
enum host_drop { HOST_FRAME_TOO_LONG, HOST_TX_FULL, HOST_NO_BUFFER, HOST_BAD_TAG, HOST_DROPS };

struct host_counts {
    uint64_t packets_in;
    uint64_t *packets_out;         /* by interface */
    uint64_t (*drops)[HOST_DROPS]; /* by interface */
};

/* One core of a host. */
struct host_core {
    struct core_state *state;
    struct host_counts counts;
};

/* The sum of what cores counted. */
struct host_totals {
    struct host_counts counts;
    uint64_t generated;
    uint64_t *counters; /* in the order of core_description.counter_names */
};

/* False, after a message, when memory is short. The ends take what was begun only. */
bool host_counts_create(struct host_counts *counts);
void host_counts_destroy(struct host_counts *counts);
bool host_totals_create(struct host_totals *totals);
void host_totals_destroy(struct host_totals *totals);

/* Make totals the sum over cores. Cores that run meanwhile are read as they are. */
void host_totals_sum(struct host_totals *totals, const struct host_core *cores, uint32_t count);

/* Call `visit` with each drop counter that is not zero, the host's own included. */
void host_visit_drops(const struct host_totals *totals,
                      void (*visit)(void *context, const char *name, uint64_t count),
                      void *context);

/* Print the report of all cores, and of each where there are several, and check that in + generated =
 * out + drops + held. Return 0 or EXIT_OUR_BUG. */
int host_report(FILE *to, const struct host_core *cores, uint32_t count, bool as_json);

#endif
