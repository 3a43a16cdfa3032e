/* replay_outputs.h: the files that a replay leaves: all of them whole, or none. */
#ifndef REPLAY_OUTPUTS_H
#define REPLAY_OUTPUTS_H

#include "capture.h"
#include "host.h"

struct output {
    char *path;
    char *temporary; /* its name until it is whole */
    struct capture_writer *writer;
};

struct outputs {
    struct output *captures;  /* one for each interface, in the chain's order */
    const char *choices_path; /* NULL: none */
    FILE *choices;
};

/* Begin DIRECTORY/<interface>.pcap for each interface, making the directory, and the file of
 * choices. False after a message; outputs_finish is due in any case. */
bool outputs_open(struct outputs *outputs, const char *directory);

/* Give the files their names if all went well, or else remove them. Return whether it did. */
bool outputs_finish(struct outputs *outputs, bool is_good);

#endif
