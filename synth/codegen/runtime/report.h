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

bool host_counts_create(struct host_counts *counts);
void host_counts_destroy(struct host_counts *counts);

/* Call `visit` with each drop counter that is not zero, the host's own included. */
void host_visit_drops(const struct core_state *state, const struct host_counts *counts,
                      void (*visit)(void *context, const char *name, uint64_t count),
                      void *context);

/* Print the report and check that in + generated = out + drops + held. Return 0 or EXIT_OUR_BUG. */
int host_report(FILE *to, const struct core_state *state, const struct host_counts *counts,
                bool as_json);

#endif
