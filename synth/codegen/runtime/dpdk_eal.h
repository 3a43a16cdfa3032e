/* dpdk_eal.h: the EAL's arguments: those of the user checked, and what they leave open added. */
#ifndef DPDK_EAL_H
#define DPDK_EAL_H

#include "dpdk_options.h"

/* Add what the options ask of the EAL: --no-huge, and that it looks at the PCI devices that are
 * mapped to interfaces and no others, unless the user chose them. False after a message. */
bool dpdk_complete_eal(struct dpdk_options *options);

/* Look for EAL arguments that it would answer with its whole usage. False after a message that
 * names the argument. */
bool dpdk_check_eal(const struct dpdk_options *options);

/* Whether a port's name is a PCI address: 0000:03:00.0. */
bool dpdk_is_pci_address(const char *port);

#endif
