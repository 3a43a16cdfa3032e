/* two_cores.c: a libFuzzer host. One input is a sequence of packets; two cores of one chain, as written
 * and synthesized, take it, and must do the same: the same frames on the same interfaces in the same
 * order, the same counters. Each packet must be accounted for, and IPv4 header checksums be right.
 *
 * The cores are shared libraries, AS_WRITTEN and SYNTHESIZED in the environment. An input is a byte for
 * the time at which it starts, then for each packet: interface, time that has passed, length (two bytes,
 * the low one first), and the frame. The highest bit of the interface's byte asks for the IPv4 header's
 * checksum to be made right, or few inputs would come past it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { MOST_FRAME = 9216, EAL_BYTES = 64 << 20 };

static const uint64_t second = 1000000000;

struct core {
    const struct core_description *description;
    __typeof__(core_process) *process;
    __typeof__(core_tick) *tick;
    __typeof__(core_state_create) *create;
    __typeof__(core_state_destroy) *destroy;
    __typeof__(core_counters) *counters;
    __typeof__(core_generated) *generated;
    struct core_tables *tables;
    struct core_state *state;
    struct emissions out;
    uint64_t left;
};

static struct core cores[2];

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

static void open_core(struct core *core, const char *variable)
{
    const char *path = getenv(variable);
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s: %s\n", variable, path == NULL ? "not set" : dlerror());
        exit(1);
    }
    bool (*start)(size_t) = (bool (*)(size_t))find(library, "eal_start_alone");
    size_t (*memory)(void) = (size_t (*)(void))find(library, "host_table_memory");
    static bool is_started; /* for both cores, whose tables are of one size */
    if (!is_started && !start(EAL_BYTES + 2 * memory()))
        exit(1);
    is_started = true;
    core->description = find(library, "core_description");
    core->process = (__typeof__(core_process) *)find(library, "core_process");
    core->tick = (__typeof__(core_tick) *)find(library, "core_tick");
    core->create = (__typeof__(core_state_create) *)find(library, "core_state_create");
    core->destroy = (__typeof__(core_state_destroy) *)find(library, "core_state_destroy");
    core->counters = (__typeof__(core_counters) *)find(library, "core_counters");
    core->generated = (__typeof__(core_generated) *)find(library, "core_generated");
    __typeof__(core_tables_create) *tables =
        (__typeof__(core_tables_create) *)find(library, "core_tables_create");
    char error[512];
    core->tables = tables(core->description->tables, 0, error, sizeof error);
    if (core->tables == NULL) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    core->out.capacity = core->description->emissions_per_frame;
    core->out.items = calloc(core->out.capacity, sizeof *core->out.items);
}

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    open_core(&cores[0], "AS_WRITTEN");
    open_core(&cores[1], "SYNTHESIZED");
    return 0;
}

static void check(bool is_good, const char *what)
{
    if (is_good)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- checksums */

static size_t ipv4_at(const uint8_t *frame, size_t size)
{
    size_t at = 12;
    for (int tags = 0; tags < 2 && at + 6 <= size; tags++) {
        unsigned type = (unsigned)(frame[at] << 8 | frame[at + 1]);
        if (type != 0x8100 && type != 0x88A8)
            break;
        at += 4;
    }
    bool is_ipv4 = at + 22 <= size && frame[at] == 8 && frame[at + 1] == 0;
    size_t header = is_ipv4 ? (size_t)(frame[at + 2] & 15) * 4 : 0;
    return header >= 20 && at + 2 + header <= size ? at + 2 : 0;
}

static uint16_t header_sum(const uint8_t *header)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < (size_t)(header[0] & 15) * 4; i += 2)
        sum += (uint32_t)(header[i] << 8 | header[i + 1]);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)((sum & 0xFFFF) + (sum >> 16));
}

static void make_right(uint8_t *frame, size_t size)
{
    size_t at = ipv4_at(frame, size);
    if (at == 0)
        return;
    frame[at + 10] = frame[at + 11] = 0;
    uint16_t checksum = (uint16_t)~header_sum(frame + at);
    frame[at + 10] = (uint8_t)(checksum >> 8);
    frame[at + 11] = (uint8_t)checksum;
}

/* ---- what leaves */

/* The frame that leaves, whole; return its length. */
static size_t write_frame(const struct emission *one, const struct frame *frame, uint8_t *to)
{
    bool is_made = one->made_length != 0;
    size_t length = is_made ? one->made_length : frame->length;
    size_t rest_at = is_made ? one->rest_at : one->head_length;
    check(one->head_length <= length && one->head_length <= HEAD_BYTES, "a head is too long");
    memcpy(to, one->head, one->head_length);
    check(rest_at + length - one->head_length <= frame->length, "a frame goes on behind the received one");
    memcpy(to + one->head_length, frame->data + rest_at, length - one->head_length);
    return length;
}

/* ---- running */

/* How much time passes: none, or from a nanosecond to a year, in steps of 2.2. */
static uint64_t time_step(uint8_t code)
{
    double step = 1;
    for (int i = 0; i < (code & 63); i++)
        step *= 2.2;
    return code < 64 ? 0 : step > 3e16 ? (uint64_t)3e16 : (uint64_t)step;
}

static void check_left(struct core *core, const struct frame *frame)
{
    for (uint32_t i = 0; i < core->out.count; i++) {
        const struct emission *one = &core->out.items[i];
        check(one->frame == 0 && one->interface < core->description->interface_count, "no such interface");
        static uint8_t bytes[MOST_FRAME];
        size_t at = ipv4_at(bytes, write_frame(one, frame, bytes));
        check(at == 0 || header_sum(bytes + at) == 0xFFFF, "a frame left with a wrong IPv4 checksum");
    }
}

static void check_same(const struct emissions *one, const struct emissions *other, const struct frame *frame)
{
    check(one->count == other->count, "not as many frames leave");
    for (uint32_t i = 0; i < one->count; i++) {
        static uint8_t frames[2][MOST_FRAME];
        const struct emission *both[2] = {&one->items[i], &other->items[i]};
        size_t lengths[2];
        for (int k = 0; k < 2; k++)
            lengths[k] = write_frame(both[k], frame, frames[k]);
        check(both[0]->interface == both[1]->interface, "a frame leaves elsewhere");
        check(lengths[0] == lengths[1] && memcmp(frames[0], frames[1], lengths[0]) == 0,
              "a frame leaves with other bytes");
    }
}

static void take(const struct frame *frame, uint16_t interface, uint64_t now)
{
    for (int i = 0; i < 2; i++) {
        struct core *core = &cores[i];
        core->out.count = 0;
        core->process(core->tables, core->state, frame, 1, interface, now, &core->out);
        core->left += core->out.count;
        check_left(core, frame);
    }
    check_same(&cores[0].out, &cores[1].out, frame);
}

static void check_counts(uint64_t packets)
{
    const struct core_description *description = cores[0].description;
    for (int i = 0; i < 2; i++) {
        uint64_t drops = 0;
        const uint64_t *counters = cores[i].counters(cores[i].state);
        for (uint32_t k = 0; k < description->counter_count; k++)
            drops += description->counter_is_drop[k] ? counters[k] : 0;
        check(packets + cores[i].generated(cores[i].state) == cores[i].left + drops,
              "in + generated is not out + drops");
    }
    for (uint32_t k = 0; k < description->counter_count; k++)
        for (uint32_t j = 0; j < description->counter_count; j++)
            if (strcmp(description->counter_names[k], cores[1].description->counter_names[j]) == 0)
                check(cores[0].counters(cores[0].state)[k] == cores[1].counters(cores[1].state)[j],
                      description->counter_names[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The epoch, now, and when 32 bits of seconds end: signed, unsigned; and when 63 bits of ns do. */
    static const uint64_t starts[] = {0, 1700000000, 2147483647, 4294967295, 9223372036};
    char error[256];
    if (size == 0)
        return 0;
    uint64_t now = starts[data[0] % (sizeof starts / sizeof *starts)] * second, packets = 0;
    for (int i = 0; i < 2; i++) {
        cores[i].state = cores[i].create(1, error, sizeof error);
        check(cores[i].state != NULL, error);
        cores[i].left = 0;
    }
    for (size_t at = 1; at + 4 <= size;) {
        const uint8_t *head = data + at;
        size_t length = head[2] | (size_t)head[3] << 8;
        at += 4;
        length = length > size - at ? size - at : length;
        length = length > MOST_FRAME ? MOST_FRAME : length;
        /* A frame of its own, so that a read behind it is seen. */
        uint8_t *bytes = malloc(length > 0 ? length : 1);
        check(bytes != NULL, "memory is short");
        memcpy(bytes, data + at, length);
        at += length;
        if (head[0] & 0x80)
            make_right(bytes, length);
        now += time_step(head[1]);
        struct frame frame = {bytes, (uint32_t)length};
        take(&frame, (uint16_t)(head[0] & 0x7F) % (uint16_t)cores[0].description->interface_count, now);
        packets++;
        free(bytes);
    }
    for (int i = 0; i < 2; i++)
        cores[i].tick(cores[i].state, now);
    check_counts(packets);
    for (int i = 0; i < 2; i++)
        cores[i].destroy(cores[i].state);
    return 0;
}
