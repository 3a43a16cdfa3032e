/* replay_cores.c: the cores of a replay. */
#define _GNU_SOURCE
#include "replay_cores.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

enum {
    MOST_CHOICES = 1 << 16, /* of one burst */
    ADDRESSES_AT = 26,      /* IPv4's, in an untagged frame */
    ADDRESSES_BYTES = 8
};

/* What a core made of a window: grows as needed. */
struct made {
    uint32_t job;
    union {
        struct emission emission;
        struct choice choice;
    };
};

struct made_list {
    struct made *items;
    size_t count;
    size_t capacity;
};

struct worker {
    struct replay_cores *cores;
    uint16_t number;
    bool has_thread;
    bool has_failed;
    pthread_t thread;
    struct emissions emissions; /* of one burst */
    struct choice_log log;      /* of one burst */
    struct made_list emitted;
    struct made_list chosen;
} __attribute__((aligned(CORE_LINE_BYTES)));

struct replay_cores {
    uint16_t count;
    bool has_choices;
    bool is_over;
    bool has_barrier;
    pthread_barrier_t barrier; /* a window begins, and ends */
    struct host_core *hosts;
    struct worker *workers;
    const struct core_tables *tables;
    const struct job *jobs;
    size_t job_count;
};

/* ---- one core */

static struct made *add_made(struct worker *w, struct made_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        struct made *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            w->has_failed = true;
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return &list->items[list->count++];
}

/* Keep what a burst made; `jobs` are those of its frames. */
static void keep(struct worker *w, const uint32_t *jobs)
{
    for (uint32_t i = 0; i < w->emissions.count; i++) {
        struct made *made = add_made(w, &w->emitted);
        if (made == NULL)
            return;
        made->job = jobs[w->emissions.items[i].frame];
        made->emission = w->emissions.items[i];
    }
    for (uint64_t i = 0; i < w->log.count; i++) {
        struct made *made = add_made(w, &w->chosen);
        if (made == NULL)
            return;
        made->job = jobs[0];
        made->choice = w->log.items[i];
    }
    w->emissions.count = 0;
    w->log.count = 0;
}

/* Whether a job goes into the burst of an earlier one. Choices tell their packet only when each is alone. */
static bool joins(const struct worker *w, const struct job *first, const struct job *job)
{
    return !w->cores->has_choices && job->interface == first->interface && job->now == first->now;
}

static void run_burst(struct worker *w, const struct job *first, const struct frame *frames,
                      const uint32_t *jobs, uint32_t count)
{
    struct host_core *host = &w->cores->hosts[w->number];
    host->counts.packets_in += count;
    core_process(w->cores->tables, host->state, frames, count, first->interface, first->now,
                 &w->emissions);
    core_tick(host->state, first->now);
    keep(w, jobs);
}

/* Work through this core's packets of the window, in order. */
static void run_window(struct worker *w)
{
    const struct replay_cores *c = w->cores;
    struct frame frames[BURST_FRAMES];
    uint32_t jobs[BURST_FRAMES], count = 0;
    const struct job *first = NULL;
    for (size_t i = 0; i < c->job_count && !w->has_failed; i++) {
        const struct job *job = &c->jobs[i];
        if (job->core != w->number)
            continue;
        if (count > 0 && (count == BURST_FRAMES || !joins(w, first, job))) {
            run_burst(w, first, frames, jobs, count);
            count = 0;
        }
        first = count == 0 ? job : first;
        jobs[count] = (uint32_t)i;
        frames[count++] = job->frame;
    }
    if (count > 0)
        run_burst(w, first, frames, jobs, count);
}

static void *run_thread(void *argument)
{
    struct worker *w = argument;
    for (;;) {
        pthread_barrier_wait(&w->cores->barrier);
        if (w->cores->is_over)
            return NULL;
        run_window(w);
        pthread_barrier_wait(&w->cores->barrier);
    }
}

/* ---- all cores */

/* Where a frame makes no difference, those with the same addresses go to the same core. */
uint16_t cores_steer(const struct replay_cores *cores, const struct frame *frame, uint16_t interface)
{
    if (cores->count == 1)
        return 0;
    uint16_t core = core_description.plan->steer(frame, interface);
    if (core != CORE_ANY)
        return core;
    uint32_t hash = hash_bytes(0, frame->data, frame->length < 12 ? frame->length : 12);
    if (frame->length >= ADDRESSES_AT + ADDRESSES_BYTES)
        hash = hash_bytes(hash, frame->data + ADDRESSES_AT, ADDRESSES_BYTES);
    return (uint16_t)(hash % cores->count);
}

const struct host_core *cores_counts(const struct replay_cores *cores)
{
    return cores->hosts;
}

/* Hand on what was made, in the order of the jobs. */
static void merge(struct replay_cores *c, const struct sink *sink)
{
    size_t *emitted = calloc(c->count, 2 * sizeof *emitted), *chosen = emitted + c->count;
    if (emitted == NULL) {
        c->workers[0].has_failed = true;
        return;
    }
    for (size_t i = 0; i < c->job_count; i++) {
        uint16_t core = c->jobs[i].core;
        struct worker *w = &c->workers[core];
        for (; chosen[core] < w->chosen.count && w->chosen.items[chosen[core]].job == i; chosen[core]++)
            sink->choice(sink->context, &w->chosen.items[chosen[core]].choice);
        for (; emitted[core] < w->emitted.count && w->emitted.items[emitted[core]].job == i;
             emitted[core]++) {
            const struct emission *emission = &w->emitted.items[emitted[core]].emission;
            c->hosts[core].counts.packets_out[emission->interface]++;
            sink->emission(sink->context, &c->jobs[i], emission);
        }
    }
    free(emitted);
}

bool cores_run(struct replay_cores *c, const struct core_tables *tables, const struct job *jobs,
               size_t count, const struct sink *sink)
{
    bool is_good = true;
    c->tables = tables;
    c->jobs = jobs;
    c->job_count = count;
    for (uint16_t i = 0; i < c->count; i++)
        c->workers[i].emitted.count = c->workers[i].chosen.count = 0;
    if (c->count == 1) {
        run_window(&c->workers[0]);
    } else {
        pthread_barrier_wait(&c->barrier);
        pthread_barrier_wait(&c->barrier);
    }
    merge(c, sink);
    for (uint16_t i = 0; i < c->count; i++)
        is_good = is_good && !c->workers[i].has_failed;
    return is_good || host_fail("memory is short") == 0;
}

/* ---- start and end */

static bool create_worker(struct replay_cores *c, uint16_t number, uint64_t secret)
{
    struct worker *w = &c->workers[number];
    struct host_core *host = &c->hosts[number];
    w->cores = c;
    w->number = number;
    w->emissions.capacity = core_description.emissions_per_frame * BURST_FRAMES;
    w->emissions.items = calloc(w->emissions.capacity, sizeof *w->emissions.items);
    w->log.capacity = MOST_CHOICES;
    w->log.items = calloc(MOST_CHOICES, sizeof *w->log.items);
    if (w->emissions.items == NULL || w->log.items == NULL)
        return host_fail("memory is short") == 0;
    host->state = host_state(secret, number, number > 0 ? c->hosts[0].state : NULL);
    if (host->state == NULL || !host_counts_create(&host->counts))
        return false;
    if (c->has_choices)
        core_log_choices(host->state, &w->log);
    return true;
}

static bool start_threads(struct replay_cores *c)
{
    if (c->count == 1)
        return true;
    c->has_barrier = pthread_barrier_init(&c->barrier, NULL, c->count + 1u) == 0;
    for (uint16_t i = 0; c->has_barrier && i < c->count; i++) {
        struct worker *w = &c->workers[i];
        w->has_thread = pthread_create(&w->thread, NULL, run_thread, w) == 0;
        if (!w->has_thread) {
            host_fail("no thread for core %u of %u", i, c->count);
            exit(EXIT_INPUT); /* the others wait at the barrier for all */
        }
    }
    return c->has_barrier || host_fail("no barrier for %u cores", c->count) == 0;
}

struct replay_cores *cores_create(bool has_choices)
{
    uint16_t count = host_cores();
    size_t bytes = count * sizeof(struct worker);
    uint64_t secret = host_secret();
    struct replay_cores *c = calloc(1, sizeof *c);
    bool is_good = c != NULL;
    if (is_good) {
        c->count = count;
        c->has_choices = has_choices;
        c->hosts = calloc(count, sizeof *c->hosts);
        c->workers = aligned_alloc(CORE_LINE_BYTES, bytes);
        if (c->workers != NULL)
            memset(c->workers, 0, bytes);
        is_good = c->hosts != NULL && c->workers != NULL;
    }
    if (!is_good)
        host_fail("memory is short");
    for (uint16_t i = 0; is_good && i < count; i++)
        is_good = create_worker(c, i, secret);
    if (is_good && start_threads(c))
        return c;
    cores_destroy(c);
    return NULL;
}

static void stop_threads(struct replay_cores *c)
{
    c->is_over = true;
    if (c->has_barrier && c->workers[c->count - 1].has_thread)
        pthread_barrier_wait(&c->barrier);
    for (uint16_t i = 0; i < c->count; i++)
        if (c->workers[i].has_thread)
            pthread_join(c->workers[i].thread, NULL);
    if (c->has_barrier)
        pthread_barrier_destroy(&c->barrier);
}

void cores_destroy(struct replay_cores *c)
{
    if (c == NULL)
        return;
    if (c->workers != NULL && c->hosts != NULL) {
        stop_threads(c);
        for (uint16_t i = c->count; i > 0; i--) {
            struct worker *w = &c->workers[i - 1];
            core_state_destroy(c->hosts[i - 1].state);
            host_counts_destroy(&c->hosts[i - 1].counts);
            free(w->emissions.items);
            free(w->log.items);
            free(w->emitted.items);
            free(w->chosen.items);
        }
    }
    free(c->workers);
    free(c->hosts);
    free(c);
}
