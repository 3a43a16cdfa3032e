/* dpdk_host.h: the host that takes packets from DPDK ports. */
#ifndef DPDK_HOST_H
#define DPDK_HOST_H

int dpdk_main(int count, char **arguments);

#endif
