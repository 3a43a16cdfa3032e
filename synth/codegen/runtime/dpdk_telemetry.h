/* dpdk_telemetry.h: the counts, through DPDK's telemetry socket as /synth/counters. */
#ifndef DPDK_TELEMETRY_H
#define DPDK_TELEMETRY_H

#include "report.h"

/* Offer the counts of a running host's cores; they must outlive the EAL. */
void telemetry_offer(const struct host_core *cores, uint32_t count);

/* The end of what was offered, once the EAL has ended. */
void telemetry_end(void);

#endif
