/* keyed_table_model.c: a keyed table against a list of entries that is searched from end to end.
 *
 * Random operations with few different keys, and time that stands, creeps or jumps. Which parts the
 * table has is set by the macros HAS_UNIQUE, HAS_VALUES and TIMERS. The first argument is the seed,
 * the second the number of operations. With FUZZ it is a libFuzzer host instead, which draws from the input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct sample_key {
    uint32_t address;
    uint16_t port;
    uint8_t protocol;
} __attribute__((packed));

struct sample_unique {
    uint16_t port;
    uint8_t protocol;
} __attribute__((packed));

struct sample_values {
    uint64_t packets;
    uint16_t server;
};

#define TABLE sample
#define TABLE_KEY struct sample_key
#if HAS_UNIQUE
#define TABLE_UNIQUE struct sample_unique
#endif
#if HAS_VALUES
#define TABLE_VALUES struct sample_values
#endif
#define TABLE_TIMERS TIMERS
#include "keyed_table.h"

enum { CAPACITY = 50, LOW = 225, HIGH = 280, PROTOCOLS = 2 };

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "line %d, operation %lu: not %s\n", __LINE__, operation,   \
                    #condition);                                                       \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

struct model_entry {
    struct sample_key key;
    struct sample_unique unique;
    struct sample_values values;
    uint8_t timer;
    uint64_t touched;
    struct sample_entry *address;
    uint32_t slot, generation;
};

static const uint64_t lifetimes[9] = {100, 1000, 0, 5000, 7, 100, 100, 100, 100};
static struct model_entry model[CAPACITY];
static struct model_entry gone;         /* the last one that left */
static unsigned count;
static uint64_t now;
static unsigned long operation;
static uint64_t random_state;
static bool is_patient;         /* time creeps, so that the table fills */

#ifdef FUZZ
static const uint8_t *input, *input_end;

static uint32_t draw(uint32_t below)
{
    return input == input_end ? 0 : *input++ % below;
}
#else
static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((random_state >> 33) * below) >> 31);
}
#endif

static bool is_live(const struct model_entry *entry)
{
    return TIMERS == 0 || (int64_t)(now - entry->touched) < (int64_t)lifetimes[entry->timer];
}

static void forget(unsigned number)
{
    gone = model[number];
    model[number] = model[--count];
}

static void forget_expired(void)
{
    for (unsigned i = count; i > 0; i--)
        if (!is_live(&model[i - 1]))
            forget(i - 1);
}

static struct model_entry *find(const struct sample_key *key)
{
    for (unsigned i = 0; i < count; i++)
        if (memcmp(&model[i].key, key, sizeof *key) == 0)
            return &model[i];
    return NULL;
}

static struct model_entry *find_unique(const struct sample_unique *unique)
{
    for (unsigned i = 0; HAS_UNIQUE && i < count; i++)
        if (memcmp(&model[i].unique, unique, sizeof *unique) == 0)
            return &model[i];
    return NULL;
}

static struct sample_key draw_key(void)
{
    return (struct sample_key){0x0A000000u + draw(16), (uint16_t)draw(8), 6};
}

static struct sample_unique draw_unique(void)
{
    return (struct sample_unique){(uint16_t)(LOW + draw(HIGH - LOW + 1)), (uint8_t)draw(PROTOCOLS)};
}

static void check_same(const struct sample_entry *entry, const struct model_entry *expected)
{
    if (expected == NULL) {
        CHECK(entry == NULL);
        return;
    }
    CHECK(entry == expected->address);
    CHECK(memcmp(&entry->key, &expected->key, sizeof entry->key) == 0);
#if HAS_UNIQUE
    CHECK(memcmp(&entry->unique, &expected->unique, sizeof entry->unique) == 0);
#endif
#if HAS_VALUES
    CHECK(entry->values.packets == expected->values.packets);
    CHECK(entry->values.server == expected->values.server);
#endif
}

static void remember(struct sample *table, struct sample_entry *entry,
                     const struct sample_key *key, const struct sample_unique *unique,
                     const struct sample_values *values)
{
    model[count++] = (struct model_entry){*key, *unique, *values, 0, now, entry,
                                          sample_slot(table, entry), entry->generation};
    check_same(entry, &model[count - 1]);
    forget_expired();       /* a lifetime may be zero */
}

static void try_insert(struct sample *table)
{
    struct sample_key key = draw_key();
    struct sample_unique unique = draw_unique();
    struct sample_values values = {draw(1000), (uint16_t)draw(1000)};
    bool must_succeed = count < CAPACITY && find(&key) == NULL && find_unique(&unique) == NULL;
    struct sample_entry *entry = sample_insert(table, &key
#if HAS_UNIQUE
                                               , &unique
#endif
#if HAS_VALUES
                                               , &values
#endif
                                               , now);
    CHECK((entry != NULL) == must_succeed);
    if (entry != NULL)
        remember(table, entry, &key, &unique, &values);
}

#if HAS_UNIQUE
static bool is_any_free(struct sample_unique unique, bool is_port, uint32_t low, uint32_t high)
{
    for (uint32_t value = low; value <= high; value++) {
        if (is_port)
            unique.port = (uint16_t)value;
        else
            unique.protocol = (uint8_t)value;
        if (find_unique(&unique) == NULL)
            return true;
    }
    return false;
}

static void try_insert_choosing(struct sample *table, bool is_port)
{
    struct sample_key key = draw_key();
    struct sample_unique unique = draw_unique();
    struct sample_values values = {draw(1000), (uint16_t)draw(1000)};
    uint32_t low = is_port ? LOW + draw(HIGH - LOW + 1) : draw(PROTOCOLS);
    uint32_t high = is_port ? low + draw(HIGH - low + 1) : low + draw(PROTOCOLS - low);
    bool must_succeed =
        count < CAPACITY && find(&key) == NULL && is_any_free(unique, is_port, low, high);
    size_t offset = is_port ? offsetof(struct sample_unique, port)
                            : offsetof(struct sample_unique, protocol);
    struct sample_entry *entry = sample_insert_choosing(table, &key, &unique
#if HAS_VALUES
                                                        , &values
#endif
                                                        , offset, is_port ? 2 : 1, low, high, now);
    CHECK((entry != NULL) == must_succeed);
    if (entry == NULL)
        return;
    uint32_t value = is_port ? unique.port : unique.protocol;
    CHECK(value >= low && value <= high);
    CHECK(find_unique(&unique) == NULL);
    remember(table, entry, &key, &unique, &values);
}
#endif

static void try_find(struct sample *table)
{
    struct sample_key key = draw_key();
    check_same(sample_find(table, &key, now), find(&key));
    uint32_t hash = sample_prefetch(table, &key);
    check_same(sample_find_hashed(table, &key, hash, now), find(&key));
    uint32_t guess = draw(CAPACITY + 1);
    sample_fetch(table, guess);
    check_same(sample_recall(table, &guess, &key, now), find(&key));
    CHECK(find(&key) == NULL || guess == sample_slot(table, find(&key)->address));
#if HAS_UNIQUE
    struct sample_unique unique = draw_unique();
    check_same(sample_find_unique(table, &unique, now), find_unique(&unique));
    guess = draw(CAPACITY + 1);
    check_same(sample_recall_unique(table, &guess, &unique, now), find_unique(&unique));
    guess = gone.address == NULL ? 0 : gone.slot;
    check_same(sample_recall_unique(table, &guess, &unique, now), find_unique(&unique));
    guess = gone.address == NULL ? 0 : gone.slot;
    check_same(sample_recall(table, &guess, &key, now), find(&key));
#endif
    CHECK(gone.address == NULL ||
          sample_at(table, gone.slot, gone.generation, now) == NULL);
}

static void touch_one(struct sample *table)
{
    if (count == 0 || TIMERS == 0)
        return;
    struct model_entry *entry = &model[draw(count)];
    entry->timer = (uint8_t)draw(TIMERS == 0 ? 1 : TIMERS);
    entry->touched = now;
    sample_touch(table, entry->address, entry->timer, now);
    forget_expired();
}

static void remove_one(struct sample *table)
{
    if (count == 0)
        return;
    unsigned number = draw(count);
    sample_remove(table, model[number].address);
    forget(number);
}

static void pass_time(void)
{
    static const uint32_t steps[] = {1, 3, 20, 99, 100, 101, 1000, 20000};
    now += steps[draw(is_patient ? 3 : 8)];
    forget_expired();
}

static void check_all(struct sample *table)
{
    for (unsigned i = 0; i < count; i++) {
        check_same(sample_find(table, &model[i].key, now), &model[i]);
        check_same(sample_at(table, model[i].slot, model[i].generation, now), &model[i]);
#if HAS_UNIQUE
        check_same(sample_find_unique(table, &model[i].unique, now), &model[i]);
#endif
    }
    CHECK(sample_live(table) >= count && sample_live(table) <= CAPACITY);
}

static void sweep(struct sample *table)
{
    uint32_t late = sample_live(table) - count;
    uint32_t limit = draw(10);
    CHECK(sample_sweep(table, now, limit) == (limit < late ? limit : late));
}

static void step(struct sample *table)
{
    switch (draw(16)) {
    case 0: pass_time(); break;
    case 1: remove_one(table); break;
    case 2: case 3: touch_one(table); break;
    case 4: sweep(table); break;
    case 5: check_all(table); break;
    case 6: case 7: case 8: try_find(table); break;
#if HAS_UNIQUE
    case 9: try_insert_choosing(table, false); break;
    case 10: case 11: case 12: try_insert_choosing(table, true); break;
#endif
    default: try_insert(table); break;
    }
}

static void check_emptied(struct sample *table)
{
    now += 100000;
    forget_expired();
    CHECK(count == 0);
    sample_sweep(table, now, UINT32_MAX);
    CHECK(sample_live(table) == 0);
    /* Nothing that slows probes is left behind. */
    for (uint32_t place = 0; place < table->places; place++)
        CHECK(table->by_key[place].passed == 0 && table->by_key[place].entry == KEYED_FREE);
}

#ifdef FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    input_end = data + size;
    count = 0;
    now = 0;
    gone = (struct model_entry){.address = NULL};
    struct sample *table = sample_create(CAPACITY, lifetimes, 1);
    for (operation = 0; input != input_end; operation++)
        step(table);
    check_all(table);
    if (TIMERS != 0)
        check_emptied(table);
    sample_destroy(table);
    return 0;
}
#else
int main(int argument_count, char **arguments)
{
    random_state = strtoull(arguments[argument_count - 2], NULL, 10);
    is_patient = random_state % 2 == 0;
    unsigned long operations = strtoul(arguments[argument_count - 1], NULL, 10);
    struct sample *table = sample_create(CAPACITY, lifetimes, 1);
    unsigned long full = 0;
    for (operation = 0; operation < operations; operation++) {
        step(table);
        full += count == CAPACITY;
    }
    check_all(table);
    if (TIMERS != 0)
        check_emptied(table);
    sample_destroy(table);
    printf("%lu\n", full);
    return 0;
}
#endif
