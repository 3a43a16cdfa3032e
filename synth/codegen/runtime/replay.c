/* replay.c: the host that takes packets and time from captures, and writes captures.
 *
 * Packets of all interfaces are merged by time stamp; at equal stamps the chain's order of
 * interfaces decides, then the order of the files and in them. Time never goes back: a packet with
 * an earlier stamp than one before it is handled at that one's time. A burst is consecutive packets
 * of one interface with equal stamps. What leaves has the stamp of the packet that caused it.
 *
 * On several cores each packet goes to the core that the plan names. Cores that share nothing work on
 * thousands of packets at once; those that share objects behind a lock on packets of one time, so that
 * time is the same for all.
 */
#define _GNU_SOURCE
#include "replay.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "capture.h"
#include "eal.h"
#include "replay_cores.h"
#include "replay_outputs.h"

enum { WINDOW_PACKETS = 4096, EAL_BASE_BYTES = 32 << 20 };

struct input {
    const char *path;
    uint16_t interface;
    struct capture *capture;
    bool has_packet;
    struct captured packet; /* the next one */
};

struct replay {
    const char *out_directory;
    const char *table_directory;
    bool as_json;
    uint64_t limit;
    struct input *inputs; /* in the order that decides equal stamps */
    size_t input_count;
    struct outputs outputs;
    struct core_tables *tables;
    struct replay_cores *cores;
    struct job *window;
    uint64_t packets_in;
    uint64_t now;
    bool has_eal;
};

/* ---- arguments */

static const char usage[] =
    "usage: %s --replay --in INTERFACE=FILE ... --out-dir DIR\n"
    "\n"
    "Run captures through the chain. Time is that of the captures.\n"
    "  --in INTERFACE=FILE  what arrives on an interface (pcap, pcapng); once for each\n"
    "  --out-dir DIR        where <interface>.pcap goes for each interface\n"
    "  --tables DIR         take static tables from DIR/<table>.bin where there is such a file;\n"
    "                       `synth build --source-only -o D` writes new ones to D/src/tables\n"
    "  --choices FILE       write which free values were chosen: `table value`, one a line\n"
    "  --limit N            stop after N packets\n"
    "  --json               print the counts as one JSON object\n";

static int refuse_second(const struct input *first, const char *path)
{
    host_fail("interface `%s` has two captures: %s and %s",
              core_description.interfaces[first->interface].name, first->path, path);
    return EXIT_USAGE;
}

/* Put an input behind those of earlier interfaces. Return 0 or the exit code. */
static int add_input(struct replay *r, const char *argument)
{
    const char *path;
    int interface = host_interface_value(argument, &path);
    if (interface < 0)
        return EXIT_INPUT;
    for (size_t i = 0; i < r->input_count; i++)
        if (r->inputs[i].interface == interface)
            return refuse_second(&r->inputs[i], path);
    size_t at = r->input_count++;
    for (; at > 0 && r->inputs[at - 1].interface > interface; at--)
        r->inputs[at] = r->inputs[at - 1];
    r->inputs[at] = (struct input){.path = path, .interface = (uint16_t)interface};
    return 0;
}

/* Return 0 or the exit code. */
static int parse_limit(struct replay *r, const char *text)
{
    char *end;
    errno = 0;
    r->limit = strtoull(text, &end, 10);
    if (*end == '\0' && end != text && errno == 0 && text[0] != '-')
        return 0;
    return host_fail("`%s` is not a number of packets", text);
}

/* Return 0, or the exit code when there is nothing more to do. `*is_done` tells help from none. */
static int parse_arguments(struct replay *r, int count, char **arguments, bool *is_done)
{
    static const struct option options[] = {
        {"in", required_argument, NULL, 'i'},
        {"out-dir", required_argument, NULL, 'o'},
        {"tables", required_argument, NULL, 't'},
        {"choices", required_argument, NULL, 'c'},
        {"limit", required_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"replay", no_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    *is_done = true;
    for (int option; (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        int status = 0;
        switch (option) {
        case 'i': status = add_input(r, optarg); break;
        case 'o': r->out_directory = optarg; break;
        case 't': r->table_directory = optarg; break;
        case 'c': r->outputs.choices_path = optarg; break;
        case 'n': status = parse_limit(r, optarg); break;
        case 'j': r->as_json = true; break;
        case 'r': break;
        case 'h': printf(usage, arguments[0]); return 0;
        default: fprintf(stderr, usage, arguments[0]); return EXIT_USAGE;
        }
        if (status != 0)
            return status;
    }
    if (optind < count || r->out_directory == NULL) {
        host_fail("%s", optind < count ? "an argument is left over" : "--out-dir is missing");
        fprintf(stderr, usage, arguments[0]);
        return EXIT_USAGE;
    }
    *is_done = false;
    return 0;
}

/* ---- inputs */

static bool advance(struct input *input)
{
    int status = capture_next(input->capture, &input->packet);
    input->has_packet = status == 1;
    return status >= 0;
}

static bool open_inputs(struct replay *r)
{
    for (size_t i = 0; i < r->input_count; i++) {
        struct input *input = &r->inputs[i];
        input->capture = capture_open(input->path);
        if (input->capture == NULL || !advance(input))
            return false;
    }
    return true;
}

/* The input whose packet is next, or NULL when all have ended. */
static struct input *next_input(struct replay *r)
{
    struct input *next = NULL;
    for (size_t i = 0; i < r->input_count; i++) {
        struct input *input = &r->inputs[i];
        if (input->has_packet && (next == NULL || input->packet.stamp < next->packet.stamp))
            next = input;
    }
    return next;
}

/* ---- what leaves */

static void write_choice(void *context, const struct choice *choice)
{
    const struct replay *r = context;
    if (r->outputs.choices != NULL)
        fprintf(r->outputs.choices, "%s %" PRIu64 "\n", core_description.choice_tables[choice->table],
                choice->value);
}

static void write_emission(void *context, const struct job *job, const struct emission *emission)
{
    const struct replay *r = context;
    bool is_made = emission->made_length != 0;
    uint32_t length = is_made ? emission->made_length : job->frame.length;
    uint32_t rest_at = is_made ? emission->rest_at : emission->head_length;
    capture_write(r->outputs.captures[emission->interface].writer, job->stamp, emission->head,
                  emission->head_length, job->frame.data + rest_at, length - emission->head_length);
}

/* ---- running */

/* Whether a packet can be worked on at the same time as those before it in the window. */
static bool joins_window(const struct replay *r, size_t count, uint64_t stamp)
{
    bool is_locked = core_description.plan != NULL && core_description.plan->is_locked;
    return count == 0 || (count < WINDOW_PACKETS && (!is_locked || stamp <= r->now));
}

/* Take the packets of one window off their inputs. */
static bool take_window(struct replay *r, size_t *count)
{
    struct input *input;
    bool is_good = true;
    while (is_good && r->packets_in < r->limit && (input = next_input(r)) != NULL &&
           joins_window(r, *count, input->packet.stamp)) {
        struct frame frame = {input->packet.data, input->packet.length};
        uint64_t stamp = input->packet.stamp;
        r->now = stamp > r->now ? stamp : r->now;
        r->window[(*count)++] = (struct job){
            .frame = frame,
            .interface = input->interface,
            .core = cores_steer(r->cores, &frame, input->interface),
            .stamp = stamp,
            .now = r->now,
        };
        r->packets_in++;
        is_good = advance(input);
    }
    return is_good;
}

static bool run(struct replay *r)
{
    const struct sink sink = {r, write_emission, write_choice};
    bool is_good = true;
    for (size_t count = 1; is_good && count > 0;) {
        count = 0;
        is_good = take_window(r, &count);
        is_good = cores_run(r->cores, r->tables, r->window, count, &sink) && is_good;
        for (size_t i = 0; i < count; i++)
            free((void *)(uintptr_t)r->window[i].frame.data);
    }
    return is_good;
}

static bool prepare(struct replay *r)
{
    if (!host_check_tables(r->table_directory) || !open_inputs(r))
        return false;
    if (host_needs_eal()) {
        r->has_eal = eal_start_alone(EAL_BASE_BYTES + host_table_memory());
        if (!r->has_eal)
            return false;
    }
    r->tables = host_load_tables(r->table_directory, 0);
    if (r->tables == NULL)
        return false;
    r->cores = cores_create(r->outputs.choices_path != NULL);
    return r->cores != NULL && outputs_open(&r->outputs, r->out_directory);
}

static bool allocate(struct replay *r, int arguments)
{
    r->inputs = calloc((size_t)arguments, sizeof *r->inputs);
    r->window = calloc(WINDOW_PACKETS, sizeof *r->window);
    return r->inputs != NULL && r->window != NULL;
}

static void release(struct replay *r)
{
    for (size_t i = 0; i < r->input_count; i++) {
        if (r->inputs[i].has_packet)
            free(r->inputs[i].packet.data);
        capture_close(r->inputs[i].capture);
    }
    cores_destroy(r->cores);
    core_tables_destroy(r->tables);
    if (r->has_eal)
        eal_stop();
    free(r->inputs);
    free(r->window);
}

int replay_main(int count, char **arguments)
{
    struct replay r = {.limit = UINT64_MAX};
    bool is_done = true;
    int status = EXIT_INPUT;
    if (!allocate(&r, count))
        host_fail("memory is short");
    else
        status = parse_arguments(&r, count, arguments, &is_done);
    if (!is_done) {
        bool is_good = prepare(&r) && run(&r);
        status = outputs_finish(&r.outputs, is_good)
                     ? host_report(stdout, cores_counts(r.cores), host_cores(), r.as_json)
                     : EXIT_INPUT;
    }
    release(&r);
    return status;
}
