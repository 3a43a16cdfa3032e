/* report.c: what became of all packets. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const host_drop_names[HOST_DROPS] = {"frame_too_long", "tx_full", "no_buffer",
                                                        "bad_tag"};

bool host_counts_create(struct host_counts *counts)
{
    uint32_t interfaces = core_description.interface_count;
    counts->packets_in = 0;
    counts->packets_out = calloc(interfaces, sizeof *counts->packets_out);
    counts->drops = calloc(interfaces, sizeof *counts->drops);
    return (counts->packets_out != NULL && counts->drops != NULL) ||
           host_fail("memory is short") == 0;
}

void host_counts_destroy(struct host_counts *counts)
{
    free(counts->packets_out);
    free(counts->drops);
}

bool host_totals_create(struct host_totals *totals)
{
    totals->counters = calloc(core_description.counter_count, sizeof *totals->counters);
    return host_counts_create(&totals->counts) &&
           (totals->counters != NULL || host_fail("memory is short") == 0);
}

void host_totals_destroy(struct host_totals *totals)
{
    host_counts_destroy(&totals->counts);
    free(totals->counters);
}

static void add_core(struct host_totals *totals, const struct host_core *core)
{
    const uint64_t *counters = core_counters(core->state);
    totals->counts.packets_in += core->counts.packets_in;
    totals->generated += core_generated(core->state);
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        totals->counters[i] += counters[i];
    for (uint32_t i = 0; i < core_description.interface_count; i++) {
        totals->counts.packets_out[i] += core->counts.packets_out[i];
        for (uint32_t reason = 0; reason < HOST_DROPS; reason++)
            totals->counts.drops[i][reason] += core->counts.drops[i][reason];
    }
}

void host_totals_sum(struct host_totals *totals, const struct host_core *cores, uint32_t count)
{
    uint32_t interfaces = core_description.interface_count;
    totals->counts.packets_in = 0;
    totals->generated = 0;
    memset(totals->counters, 0, core_description.counter_count * sizeof *totals->counters);
    memset(totals->counts.packets_out, 0, interfaces * sizeof *totals->counts.packets_out);
    memset(totals->counts.drops, 0, interfaces * sizeof *totals->counts.drops);
    for (uint32_t i = 0; i < count; i++)
        add_core(totals, &cores[i]);
}

struct named_drop {
    char name[256];
    uint64_t count; /* the host's, taken out of it once the core's of that name is met */
};

static struct named_drop host_drop_at(const struct host_counts *counts, uint32_t number)
{
    uint32_t interface = number / HOST_DROPS, reason = number % HOST_DROPS;
    struct named_drop drop = {.count = counts->drops[interface][reason]};
    snprintf(drop.name, sizeof drop.name, "%s.%s", core_description.interfaces[interface].name,
             host_drop_names[reason]);
    return drop;
}

static bool is_core_drop(const char *name)
{
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        if (core_description.counter_is_drop[i] &&
            strcmp(core_description.counter_names[i], name) == 0)
            return true;
    return false;
}

/* What the host dropped under a name that the core counts too. */
static uint64_t host_share(const struct host_counts *counts, const char *name)
{
    for (uint32_t i = 0; i < core_description.interface_count * HOST_DROPS; i++) {
        struct named_drop drop = host_drop_at(counts, i);
        if (strcmp(drop.name, name) == 0)
            return drop.count;
    }
    return 0;
}

void host_visit_drops(const struct host_totals *totals,
                      void (*visit)(void *context, const char *name, uint64_t count), void *context)
{
    const uint64_t *core = totals->counters;
    const struct host_counts *counts = &totals->counts;
    for (uint32_t i = 0; i < core_description.counter_count; i++) {
        const char *name = core_description.counter_names[i];
        if (!core_description.counter_is_drop[i])
            continue;
        uint64_t count = core[i] + host_share(counts, name);
        if (count > 0)
            visit(context, name, count);
    }
    for (uint32_t i = 0; i < core_description.interface_count * HOST_DROPS; i++) {
        struct named_drop drop = host_drop_at(counts, i);
        if (drop.count > 0 && !is_core_drop(drop.name))
            visit(context, drop.name, drop.count);
    }
}

/* ---- the report */

struct report {
    FILE *to;
    const char *separator;
    uint64_t drops;
};

static void add_drop(void *context, const char *name, uint64_t count)
{
    struct report *report = context;
    (void)name;
    report->drops += count;
}

static void print_json_item(void *context, const char *name, uint64_t count)
{
    struct report *report = context;
    fprintf(report->to, "%s\"%s\": %" PRIu64, report->separator, name, count);
    report->separator = ", ";
}

static void print_line(void *context, const char *name, uint64_t count)
{
    struct report *report = context;
    fprintf(report->to, "  %-8s %-32s %" PRIu64 "\n", report->separator, name, count);
    report->separator = "";
}

typedef void visit_item(void *context, const char *name, uint64_t count);

static void visit_out(const struct host_counts *counts, visit_item *visit, void *context)
{
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        visit(context, core_description.interfaces[i].name, counts->packets_out[i]);
}

static void visit_counters(const struct host_totals *totals, visit_item *visit, void *context)
{
    for (uint32_t i = 0; i < core_description.counter_count; i++)
        if (!core_description.counter_is_drop[i])
            visit(context, core_description.counter_names[i], totals->counters[i]);
}

/* Each core's packets, where there are several. */
static void print_json_cores(FILE *to, const struct host_core *cores, uint32_t count)
{
    if (count < 2)
        return;
    fputs(", \"cores\": [", to);
    for (uint32_t i = 0; i < count; i++)
        fprintf(to, "%s{\"packets_in\": %" PRIu64 ", \"generated\": %" PRIu64 "}", i > 0 ? ", " : "",
                cores[i].counts.packets_in, core_generated(cores[i].state));
    fputs("]", to);
}

static void print_text_cores(FILE *to, const struct host_core *cores, uint32_t count)
{
    for (uint32_t i = 0; count > 1 && i < count; i++)
        fprintf(to, "  %-8s %-32" PRIu32 " %" PRIu64 " in\n", i == 0 ? "cores" : "", i,
                cores[i].counts.packets_in);
}

static void print_json(FILE *to, const struct host_totals *totals, const struct host_core *cores,
                       uint32_t count)
{
    const struct host_counts *counts = &totals->counts;
    struct report report = {.to = to, .separator = ""};
    fprintf(to, "{\"packets_in\": %" PRIu64 ", \"generated\": %" PRIu64 ", \"packets_out\": {",
            counts->packets_in, totals->generated);
    visit_out(counts, print_json_item, &report);
    fputs("}, \"drops\": {", to);
    report.separator = "";
    host_visit_drops(totals, print_json_item, &report);
    fputs("}, \"counters\": {", to);
    report.separator = "";
    visit_counters(totals, print_json_item, &report);
    fputs("}, \"held\": 0", to);
    print_json_cores(to, cores, count);
    fputs("}\n", to);
}

static void print_text(FILE *to, const struct host_totals *totals, const struct host_core *cores,
                       uint32_t count)
{
    struct report report = {.to = to, .separator = "out"};
    visit_out(&totals->counts, print_line, &report);
    report.separator = "drops";
    host_visit_drops(totals, print_line, &report);
    report.separator = "counters";
    visit_counters(totals, print_line, &report);
    print_text_cores(to, cores, count);
}

static int report_totals(FILE *to, const struct host_totals *totals, const struct host_core *cores,
                         uint32_t count, bool as_json)
{
    struct report total = {0};
    const struct host_counts *counts = &totals->counts;
    uint64_t in = counts->packets_in, generated = totals->generated, out = 0;
    for (uint32_t i = 0; i < core_description.interface_count; i++)
        out += counts->packets_out[i];
    host_visit_drops(totals, add_drop, &total);
    bool is_balanced = in + generated == out + total.drops;
    if (as_json)
        print_json(to, totals, cores, count);
    else
        print_text(to, totals, cores, count);
    if (!as_json || !is_balanced)
        fprintf(is_balanced ? to : stderr,
                "%s: in %" PRIu64 " + generated %" PRIu64 " %s out %" PRIu64 " + drops %" PRIu64
                " + held 0\n",
                core_description.chain, in, generated, is_balanced ? "=" : "is not", out,
                total.drops);
    fflush(to);
    return is_balanced ? 0 : EXIT_OUR_BUG;
}

int host_report(FILE *to, const struct host_core *cores, uint32_t count, bool as_json)
{
    struct host_totals totals = {0};
    int status = EXIT_INPUT;
    if (host_totals_create(&totals)) {
        host_totals_sum(&totals, cores, count);
        status = report_totals(to, &totals, cores, count, as_json);
    }
    host_totals_destroy(&totals);
    return status;
}
