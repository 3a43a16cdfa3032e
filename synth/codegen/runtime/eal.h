/* eal.h: starting DPDK's environment abstraction layer. */
#ifndef EAL_H
#define EAL_H

#include <stdbool.h>
#include <stddef.h>

/* Start the EAL as plain memory: no hugepages, devices, files or sockets, no rights needed, and
 * the thread free to run on all CPUs. Nothing is said unless it fails; false then. */
bool eal_start_alone(size_t bytes);

/* Start the EAL for ports with a user's arguments, completed with what they leave open: one
 * lcore, and enough memory with --no-huge. False after a message. */
bool eal_start(const char *program, int count, char **arguments, size_t bytes);

/* Whether an EAL argument is given, as `NAME` or `NAME=...`. */
bool eal_has_argument(int count, char **arguments, const char *name);

void eal_stop(void);

#endif
