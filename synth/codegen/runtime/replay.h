/* replay.h: the host that takes packets and time from captures. */
#ifndef REPLAY_H
#define REPLAY_H

int replay_main(int count, char **arguments);

#endif
