/* host.h: what all hosts share: interfaces by name, table files, the final report. */
#ifndef HOST_H
#define HOST_H

#include <stdio.h>

#include "core.h"

enum { EXIT_INPUT = 1, EXIT_USAGE = 2, EXIT_OUR_BUG = 70, HOST_MOST_INTERFACES = 256 };

/* Say what is wrong on standard error, in one line; return EXIT_INPUT. */
__attribute__((format(printf, 1, 2))) int host_fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void host_warn(const char *format, ...);

/* The number of an interface of the chain, or -1 after a message that lists those there are. */
int host_interface(const char *name, size_t length);

/* Split NAME=VALUE and find the interface; -1 after a message. */
int host_interface_value(const char *argument, const char **value);

/* Build the static tables: from DIRECTORY/<table>.bin where there is such a file, else as embedded in
 * the binary. `directory` may be NULL. NULL after a message. */
struct core_tables *host_load_tables(const char *directory, uint64_t epoch);

/* Bytes that building all static tables takes of EAL memory at most. */
size_t host_table_memory(void);

/* Whether a static table needs the EAL. */
bool host_needs_eal(void);

/* What a host drops itself, by interface. Names are `<interface>.<reason>`. */
enum host_drop {
    HOST_FRAME_TOO_LONG,
    HOST_TX_FULL,
    HOST_NO_BUFFER,
    HOST_DROPS
};

struct host_counts {
    uint64_t packets_in;
    uint64_t *packets_out;              /* by interface */
    uint64_t (*drops)[HOST_DROPS];      /* by interface */
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
