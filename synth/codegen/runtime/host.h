/* host.h: what all hosts share: messages, interfaces by name, table files. */
#ifndef HOST_H
#define HOST_H

#include <stdio.h>

#include "core.h"

enum { EXIT_INPUT = 1, EXIT_USAGE = 2, EXIT_OUR_BUG = 70, HOST_MOST_INTERFACES = 256 };

/* Say what is wrong on standard error, in one line; return EXIT_INPUT. */
__attribute__((format(printf, 1, 2))) int host_fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void host_warn(const char *format, ...);
__attribute__((format(printf, 1, 2))) void host_say(const char *format, ...);

/* The number of an interface of the chain, or -1 after a message that lists those there are. */
int host_interface(const char *name, size_t length);

/* Split NAME=VALUE and find the interface; -1 after a message. */
int host_interface_value(const char *argument, const char **value);

/* Whether a directory is there and each `*.bin` in it is a table of the chain; false after a
 * message. NULL is fine. */
bool host_check_tables(const char *directory);

/* Build the static tables: from DIRECTORY/<table>.bin where there is such a file, else as embedded
 * in the binary; which of them, is said for each. `directory` may be NULL, then nothing is said.
 * NULL after a message. */
struct core_tables *host_load_tables(const char *directory, uint64_t epoch);

/* Bytes that building all static tables takes of EAL memory at most. */
size_t host_table_memory(void);

/* A random number, for core_state_create. */
uint64_t host_secret(void);

/* How many cores the chain was built for. */
uint16_t host_cores(void);

/* Make the state of one of the cores; `first` is core 0's, NULL for itself. NULL after a message. */
struct core_state *host_state(uint64_t secret, uint16_t core, struct core_state *first);

/* Whether a static table needs the EAL. */
bool host_needs_eal(void);

#endif
