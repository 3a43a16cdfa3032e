/* main.c: one binary, two hosts: DPDK ports, and captures with --replay as the first argument. */
#include <string.h>

#include "dpdk_host.h"
#include "replay.h"

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--replay") == 0)
        return replay_main(count, arguments);
    return dpdk_main(count, arguments);
}
