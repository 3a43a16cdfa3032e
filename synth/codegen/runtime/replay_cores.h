/* replay_cores.h: the cores of a replay, each a thread.
 *
 * The host gathers a window of packets, all cores work through theirs, and what they made is put in the
 * order of arrival. So what a replay leaves does not depend on which core is faster.
 */
#ifndef REPLAY_CORES_H
#define REPLAY_CORES_H

#include "report.h"

/* One packet of a window. */
struct job {
    struct frame frame;
    uint16_t interface;
    uint16_t core;
    uint64_t stamp; /* ns, of the capture */
    uint64_t now;   /* ns, never less than that of a packet before */
};

/* What a window made, in the order of arrival; called with each. */
struct sink {
    void *context;
    void (*emission)(void *context, const struct job *job, const struct emission *emission);
    void (*choice)(void *context, const struct choice *choice);
};

struct replay_cores;

/* Make the cores with their states and threads. `has_choices`: log each choice. NULL after a message. */
struct replay_cores *cores_create(bool has_choices);
void cores_destroy(struct replay_cores *cores);

/* The cores' counts, for the report. */
const struct host_core *cores_counts(const struct replay_cores *cores);

/* The core that handles a frame. */
uint16_t cores_steer(const struct replay_cores *cores, const struct frame *frame, uint16_t interface);

/* Work through a window's packets. False after a message. */
bool cores_run(struct replay_cores *cores, const struct core_tables *tables, const struct job *jobs,
               size_t count, const struct sink *sink);

#endif
