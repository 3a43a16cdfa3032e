/* dpdk_options.c: the DPDK host's arguments. */
#define _GNU_SOURCE
#include "dpdk_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: %s --interface NAME=PORT ... [options] [-- EAL arguments]\n"
    "       %s --replay --help\n"
    "\n"
    "Run the chain on DPDK ports until SIGINT or SIGTERM. SIGHUP reads the tables again.\n"
    "  --interface NAME=PORT  the port of an interface: a PCI address or the name of a vdev\n"
    "  --trunk PORT           the port to the switch, for a chain built with --switch; instead of\n"
    "                         --interface\n"
    "  --tables DIR           take static tables from DIR/<table>.bin where there is such a file;\n"
    "                         `synth build --source-only -o D` writes new ones to D/src/tables\n"
    "  --no-huge              do without hugepages, a bit slower\n"
    "  --stats SECONDS        print the counts while running\n"
    "  --duration SECONDS     stop after some time\n"
    "  --buffers N            packet buffers, if the ports' own need is not enough\n"
    "  --json                 print the final counts as one JSON object\n"
    "\n"
    "Of the PCI devices DPDK opens those that are given, unless -a, -b or --no-pci follows `--`.\n"
    "\n";

static void print_examples(FILE *to, const char *program)
{
    uint32_t count = core_description.interface_count;
    const struct interface_description *interfaces = core_description.interfaces;
    if (core_description.tags != NULL) {
        fprintf(to,
                "example, behind a switch:\n  %s --trunk net_af_packet0 -- --no-huge "
                "--vdev=net_af_packet0,iface=veth0\n",
                program);
        return;
    }
    fprintf(to, "example, NICs:\n  %s", program);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, " --interface %s=0000:03:00.%u", interfaces[i].name, i);
    fprintf(to, "\nexample, a veth and new taps, no hugepages:\n  %s", program);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, " --interface %s=net_%s%u", interfaces[i].name, i == 0 ? "af_packet" : "tap",
                i);
    fprintf(to, " \\\n      -- --no-huge");
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, " --vdev=net_%s%u,iface=%s%u", i == 0 ? "af_packet" : "tap", i,
                i == 0 ? "veth" : "tap", i);
    fprintf(to,
            "\nOffloads must be off on both ends of a veth, or frames come with checksums not yet "
            "made:\n  ethtool -K veth0 tx off\n");
}

uint32_t dpdk_port_count(void)
{
    return core_description.tags == NULL ? core_description.interface_count : 1;
}

const char *dpdk_port_purpose(uint32_t port)
{
    return core_description.tags == NULL ? core_description.interfaces[port].name : "trunk";
}

static void print_usage(FILE *to, const char *program)
{
    fprintf(to, usage, program, program);
    print_examples(to, program);
}

static bool set_trunk(struct dpdk_options *options, const char *port)
{
    if (core_description.tags == NULL)
        return host_fail("--trunk: this chain was not built for a switch (synth build --switch)") ==
               0;
    options->ports[0] = port;
    return true;
}

static bool add_port(struct dpdk_options *options, const char *argument)
{
    const char *port;
    if (core_description.tags != NULL)
        return host_fail("--interface: this chain was built for a switch; say --trunk PORT") == 0;
    int interface = host_interface_value(argument, &port);
    if (interface < 0)
        return false;
    if (options->ports[interface] != NULL)
        return host_fail("interface `%s` has two ports: %s and %s",
                         core_description.interfaces[interface].name, options->ports[interface],
                         port) == 0;
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        if (options->ports[i] != NULL && strcmp(options->ports[i], port) == 0)
            return host_fail("port %s is given to two interfaces: `%s` and `%s`", port,
                             core_description.interfaces[i].name,
                             core_description.interfaces[interface].name) == 0;
    options->ports[interface] = port;
    return true;
}

static bool parse_number(const char *option, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*end == '\0' && end != text && errno == 0 && text[0] != '-')
        return true;
    return host_fail("%s: `%s` is not a number", option, text) == 0;
}

static bool has_all_ports(const struct dpdk_options *options)
{
    bool has_all = true;
    if (core_description.tags != NULL)
        return options->ports[0] != NULL ||
               host_fail("the port to the switch is not given: add --trunk PORT") == 0;
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        if (options->ports[i] == NULL)
            has_all = host_fail("interface `%s` has no port: add --interface %s=PORT",
                                core_description.interfaces[i].name,
                                core_description.interfaces[i].name) == 0;
    return has_all;
}

/* Split off what follows `--`; return how many arguments are before it. */
static int split_eal(struct dpdk_options *options, int count, char **arguments)
{
    int own = 1;
    while (own < count && strcmp(arguments[own], "--") != 0)
        own++;
    options->eal_count = own < count ? count - own - 1 : 0;
    options->eal_arguments = own < count ? arguments + own + 1 : arguments + count;
    return own;
}

int dpdk_parse_options(struct dpdk_options *options, int count, char **arguments, bool *is_done)
{
    static const struct option known[] = {
        {"interface", required_argument, NULL, 'i'},
        {"trunk", required_argument, NULL, 'k'},
        {"tables", required_argument, NULL, 't'},
        {"stats", required_argument, NULL, 's'},
        {"duration", required_argument, NULL, 'd'},
        {"buffers", required_argument, NULL, 'b'},
        {"no-huge", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int own = split_eal(options, count, arguments);
    *is_done = true;
    for (int option; (option = getopt_long(own, arguments, "", known, NULL)) != -1;) {
        bool is_good = true;
        switch (option) {
        case 'i': is_good = add_port(options, optarg); break;
        case 'k': is_good = set_trunk(options, optarg); break;
        case 't': options->table_directory = optarg; break;
        case 's': is_good = parse_number("--stats", optarg, &options->stats_seconds); break;
        case 'd': is_good = parse_number("--duration", optarg, &options->duration_seconds); break;
        case 'b': is_good = parse_number("--buffers", optarg, &options->packet_buffers); break;
        case 'n': options->is_without_hugepages = true; break;
        case 'j': options->as_json = true; break;
        case 'h': print_usage(stdout, arguments[0]); return 0;
        default: print_usage(stderr, arguments[0]); return EXIT_USAGE;
        }
        if (!is_good)
            return EXIT_INPUT;
    }
    if (optind < own) {
        host_fail("`%s` is left over; EAL arguments follow `--`", arguments[optind]);
        return EXIT_USAGE;
    }
    if (!has_all_ports(options))
        return EXIT_INPUT;
    *is_done = false;
    return 0;
}
