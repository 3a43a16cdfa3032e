/* main.c: one binary, two hosts: DPDK ports, and captures with --replay as the first argument. With --plan
 * it only tells how it runs on several cores. */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "dpdk_host.h"
#include "replay.h"

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "--replay") == 0)
        return replay_main(count, arguments);
    if (count == 2 && strcmp(arguments[1], "--plan") == 0)
        return fputs(core_description.plan != NULL ? core_description.plan->text : "one core\n", stdout) < 0;
    return dpdk_main(count, arguments);
}
