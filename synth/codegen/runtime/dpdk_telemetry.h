/* dpdk_telemetry.h: the counts, through DPDK's telemetry socket as /synth/counters. */
#ifndef DPDK_TELEMETRY_H
#define DPDK_TELEMETRY_H

#include "report.h"

/* Offer the counts of a running host; they must outlive the EAL. */
void telemetry_offer(const struct core_state *state, const struct host_counts *counts);

#endif
