/* keyed_table.h: a keyed table with timer classes and, if wanted, a second, unique key.
 *
 * A template: define the macros, include the file, and do so again for the next table.
 *
 *     #define TABLE nat_bindings
 *     #define TABLE_KEY struct nat_bindings_key            packed: it is compared as bytes
 *     #define TABLE_UNIQUE struct nat_bindings_unique      packed; optional
 *     #define TABLE_VALUES struct nat_bindings_values      optional
 *     #define TABLE_TIMERS 1                               timer classes, 0 to 8
 *     #define TABLE_KEY_EQUAL(one, other) ...              optional, as TABLE_UNIQUE_EQUAL: how keys
 *                                                          are compared, instead of as bytes
 *     #include "keyed_table.h"
 *
 * makes `struct nat_bindings`, `struct nat_bindings_entry` with the members `key`, `unique` and
 * `values`, and the functions below (`nat_bindings_create` and so on).
 *
 * Meaning. An entry lives while now - touched < lifetime of its timer class, as signed 64-bit
 * difference; after that it is absent for every function, swept or not. `now` must never go back.
 * `capacity` is the exact number of live entries that fit. An entry's address and its pair of slot
 * and generation stay the same for its life.
 *
 * Layout. Entries stand side by side, the slot that was left last is taken first: few flows take
 * little memory and few pages, however large the table is. An index beside them, open addressing over
 * twice as many places as the capacity, linear probing, finds the slot of a key; who guesses the slot
 * (`recall`) does not need it. Each place counts the keys that were put past it, so a probe ends where
 * no key went further, and a removal leaves nothing behind that slows later probes. The order of
 * touches is a list for each timer class, with its links in an array of their own, so moving an entry
 * to the end touches no other entry's line.
 *
 * Keys that collide on purpose. The hash depends on a secret (`keyed_hash`), which the host draws: who
 * can choose keys freely still cannot choose where they go. No insertion is refused for a long probe,
 * so a table holds exactly `capacity` entries.
 */
#ifndef TABLE
#error "define TABLE, TABLE_KEY and TABLE_TIMERS before this file is included"
#endif

#include "keyed_table_parts.h"

#ifndef TABLE_KEY_EQUAL
#define TABLE_KEY_EQUAL(one, other) (memcmp(one, other, sizeof *(one)) == 0)
#endif
#ifndef TABLE_UNIQUE_EQUAL
#define TABLE_UNIQUE_EQUAL(one, other) (memcmp(one, other, sizeof *(one)) == 0)
#endif

#define TABLE_ENTRY struct KEYED(entry)

TABLE_ENTRY {
    uint64_t touched;           /* ns */
    uint32_t hash;
    uint32_t generation;        /* of the slot: how many entries have left it */
    uint8_t state;              /* KEYED_FREE, or the timer class + 1 */
    TABLE_KEY key;
#ifdef TABLE_UNIQUE
    TABLE_UNIQUE unique;
#endif
#ifdef TABLE_VALUES
    TABLE_VALUES values;
#endif
} __attribute__((aligned(KEYED_LINE_BYTES)));

#ifdef TABLE_UNIQUE
struct KEYED(chooser);
#endif

struct TABLE {
    TABLE_ENTRY *entries;
    struct keyed_index_slot *by_key;
    uint32_t places;            /* of each index */
    uint32_t capacity;
    uint32_t fresh;             /* slots from here on were never taken */
    uint32_t left;              /* the slot + 1 that was left last; the others hang on its link */
    uint32_t used;              /* entries that are there, swept too late ones included */
    uint64_t secret;
    struct keyed_links *links;  /* of each slot, then the ends of each timer class's list */
    int64_t lifetimes[TABLE_TIMERS + 1];        /* ns */
#ifdef TABLE_UNIQUE
    struct keyed_index_slot *index;
    struct KEYED(chooser) *choosers;
    uint64_t *allowed;          /* a bit for each value that may be chosen; NULL: all */
#endif
};

/* The arguments of insertions that are there only when the table has the part. */
#ifdef TABLE_UNIQUE
#define TABLE_UNIQUE_ARGUMENT , const TABLE_UNIQUE *unique
#define TABLE_UNIQUE_PASSED , unique
#else
#define TABLE_UNIQUE_ARGUMENT
#define TABLE_UNIQUE_PASSED
#endif
#ifdef TABLE_VALUES
#define TABLE_VALUES_ARGUMENT , const TABLE_VALUES *values
#define TABLE_VALUES_PASSED , values
#else
#define TABLE_VALUES_ARGUMENT
#define TABLE_VALUES_PASSED
#endif

/* Make an empty table. `lifetimes_ns`: one for each timer class. NULL when memory is short. */
static inline struct TABLE *KEYED(create)(uint32_t capacity, const uint64_t *lifetimes_ns,
                                          uint64_t secret);
static inline void KEYED(destroy)(struct TABLE *t);

/* Find the live entry of a key, or NULL. In two steps for a burst: hash and prefetch all keys
 * first, then find each. */
static inline TABLE_ENTRY *KEYED(find)(const struct TABLE *t, const TABLE_KEY *key, uint64_t now);
static inline uint32_t KEYED(prefetch)(const struct TABLE *t, const TABLE_KEY *key);
static inline TABLE_ENTRY *KEYED(find_hashed)(const struct TABLE *t, const TABLE_KEY *key,
                                              uint32_t hash, uint64_t now);
#ifdef TABLE_UNIQUE
static inline TABLE_ENTRY *KEYED(find_unique)(const struct TABLE *t, const TABLE_UNIQUE *unique,
                                              uint64_t now);
#endif

/* The same, with a guess: the number of a slot, where the entry was last. The guess may be any slot
 * up to the capacity (0 to begin with): it counts only if what is there now is live and has this key. That is
 * exact, since no two live entries have one key. The guess is made right for the next time. */
static inline TABLE_ENTRY *KEYED(recall)(const struct TABLE *t, uint32_t *guess,
                                         const TABLE_KEY *key, uint64_t now);
#ifdef TABLE_UNIQUE
static inline TABLE_ENTRY *KEYED(recall_unique)(const struct TABLE *t, uint32_t *guess,
                                                const TABLE_UNIQUE *unique, uint64_t now);
#endif
static inline void KEYED(fetch)(const struct TABLE *t, uint32_t guess);

/* Make an entry in timer class 0, touched now. NULL, and nothing changed, when the table is full
 * of live entries or the key or the unique key is live. */
static inline TABLE_ENTRY *KEYED(insert)(struct TABLE *t, const TABLE_KEY *key
                                             TABLE_UNIQUE_ARGUMENT TABLE_VALUES_ARGUMENT,
                                         uint64_t now);
#ifdef TABLE_UNIQUE
/* The same, with one member of the unique key (`size` bytes at `offset`, an unsigned integer)
 * chosen between low and high so that the unique key is free, and written to `unique`. NULL also
 * when no value is free. A value that was given back is chosen last. */
static inline TABLE_ENTRY *KEYED(insert_choosing)(struct TABLE *t, const TABLE_KEY *key,
                                                  TABLE_UNIQUE *unique TABLE_VALUES_ARGUMENT,
                                                  size_t offset, size_t size, uint64_t low,
                                                  uint64_t high, uint64_t now);
#endif

/* Put a live entry into a timer class and start its lifetime now. */
static inline void KEYED(touch)(struct TABLE *t, TABLE_ENTRY *entry, uint8_t timer, uint64_t now);
static inline void KEYED(remove)(struct TABLE *t, TABLE_ENTRY *entry);

/* Remove up to `limit` expired entries, oldest first; return how many. */
static inline uint32_t KEYED(sweep)(struct TABLE *t, uint64_t now, uint32_t limit);

/* How many entries are there, with those that have expired and are not swept. */
static inline uint32_t KEYED(live)(const struct TABLE *t);

/* The entry that a handle of slot and generation means, or NULL when it has left or expired. */
static inline uint32_t KEYED(slot)(const struct TABLE *t, const TABLE_ENTRY *entry);
static inline TABLE_ENTRY *KEYED(at)(const struct TABLE *t, uint32_t slot, uint32_t generation,
                                     uint64_t now);

static inline bool KEYED(is_live)(const struct TABLE *t, const TABLE_ENTRY *entry, uint64_t now)
{
    return TABLE_TIMERS == 0 ||
           (int64_t)(now - entry->touched) < t->lifetimes[entry->state - 1];
}

/* ---- by key */

static inline uint32_t KEYED(hash)(const struct TABLE *t, const TABLE_KEY *key)
{
    return keyed_hash(key, sizeof *key, t->secret);
}

/* The entry of a key, live or not. */
static inline TABLE_ENTRY *KEYED(locate)(const struct TABLE *t, const TABLE_KEY *key,
                                         uint32_t hash)
{
    uint32_t place = keyed_home(hash, t->places);
    for (uint32_t left = t->places; left > 0; left--) {
        const struct keyed_index_slot *at = &t->by_key[place];
        if (at->hash == hash && at->entry != KEYED_FREE &&
            TABLE_KEY_EQUAL(&t->entries[at->entry - 1].key, key))
            return &t->entries[at->entry - 1];
        if (at->passed == 0)
            return NULL;
        place = keyed_next(place, t->places);
    }
    return NULL;
}

static inline TABLE_ENTRY *KEYED(find_hashed)(const struct TABLE *t, const TABLE_KEY *key,
                                              uint32_t hash, uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(locate)(t, key, hash);
    return entry != NULL && KEYED(is_live)(t, entry, now) ? entry : NULL;
}

static inline TABLE_ENTRY *KEYED(find)(const struct TABLE *t, const TABLE_KEY *key, uint64_t now)
{
    return KEYED(find_hashed)(t, key, KEYED(hash)(t, key), now);
}

static inline uint32_t KEYED(prefetch)(const struct TABLE *t, const TABLE_KEY *key)
{
    uint32_t hash = KEYED(hash)(t, key);
    keyed_fetch(&t->by_key[keyed_home(hash, t->places)]);
    return hash;
}

static inline uint32_t KEYED(slot)(const struct TABLE *t, const TABLE_ENTRY *entry)
{
    return (uint32_t)(entry - t->entries);
}

static inline TABLE_ENTRY *KEYED(at)(const struct TABLE *t, uint32_t slot, uint32_t generation,
                                     uint64_t now)
{
    TABLE_ENTRY *entry = &t->entries[slot];
    bool is_there = entry->state != KEYED_FREE && entry->generation == generation;
    return is_there && KEYED(is_live)(t, entry, now) ? entry : NULL;
}

/* What a guess means: the entry in its slot if there is one that is live. */
static inline TABLE_ENTRY *KEYED(guessed)(const struct TABLE *t, uint32_t guess, uint64_t now)
{
    TABLE_ENTRY *entry = &t->entries[guess];
    return entry->state != KEYED_FREE && KEYED(is_live)(t, entry, now) ? entry : NULL;
}

static inline TABLE_ENTRY *KEYED(recall)(const struct TABLE *t, uint32_t *guess,
                                         const TABLE_KEY *key, uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(guessed)(t, *guess, now);
    if (entry != NULL && TABLE_KEY_EQUAL(&entry->key, key))
        return entry;
    entry = KEYED(find)(t, key, now);
    if (entry != NULL)
        *guess = KEYED(slot)(t, entry);
    return entry;
}

static inline void KEYED(fetch)(const struct TABLE *t, uint32_t guess)
{
    keyed_fetch(&t->entries[guess]);
}

/* Give a key a slot and a place in the index. The table must have room. */
static inline TABLE_ENTRY *KEYED(place)(struct TABLE *t, const TABLE_KEY *key)
{
    uint32_t slot = t->left == 0 ? t->fresh++ : t->left - 1;
    if (t->left != 0)
        t->left = t->links[slot].next;
    TABLE_ENTRY *entry = &t->entries[slot];
    entry->hash = KEYED(hash)(t, key);
    entry->key = *key;
    keyed_index_put(t->by_key, t->places, entry->hash, slot);
    return entry;
}

static inline void KEYED(displace)(struct TABLE *t, TABLE_ENTRY *entry)
{
    uint32_t slot = KEYED(slot)(t, entry);
    keyed_index_take(t->by_key, t->places, entry->hash, slot);
    entry->state = KEYED_FREE;
    entry->generation++;
    t->links[slot].next = t->left;
    t->left = slot + 1;
}

#ifdef TABLE_UNIQUE
#include "keyed_table_unique.h"
#endif

/* ---- time */

/* Remove the oldest entry of a timer class if it has expired. */
static inline bool KEYED(expire)(struct TABLE *t, uint32_t timer, uint64_t now)
{
    uint32_t oldest = t->links[t->capacity + timer].next;
    if (oldest >= t->capacity || KEYED(is_live)(t, &t->entries[oldest], now))
        return false;
    KEYED(remove)(t, &t->entries[oldest]);
    return true;
}

static inline bool KEYED(expire_any)(struct TABLE *t, uint64_t now)
{
    for (uint32_t timer = 0; timer != TABLE_TIMERS; timer++)
        if (KEYED(expire)(t, timer, now))
            return true;
    return false;
}

static inline uint32_t KEYED(sweep)(struct TABLE *t, uint64_t now, uint32_t limit)
{
    uint32_t swept = 0;
    while (swept < limit && KEYED(expire_any)(t, now))
        swept++;
    return swept;
}

static inline void KEYED(touch)(struct TABLE *t, TABLE_ENTRY *entry, uint8_t timer, uint64_t now)
{
    if (entry->touched == now && entry->state == timer + 1)
        return; /* a burst has one time: it is the list's last, or as old as the last */
    uint32_t slot = KEYED(slot)(t, entry);
    keyed_unlink(t->links, slot);
    keyed_link_last(t->links, t->capacity + timer, slot);
    entry->state = (uint8_t)(timer + 1);
    entry->touched = now;
}

/* ---- coming and going */

static inline uint32_t KEYED(live)(const struct TABLE *t)
{
    return t->used;
}

static inline void KEYED(remove)(struct TABLE *t, TABLE_ENTRY *entry)
{
    keyed_unlink(t->links, KEYED(slot)(t, entry));
#ifdef TABLE_UNIQUE
    KEYED(displace_unique)(t, entry);
#endif
    KEYED(displace)(t, entry);
    t->used--;
}

/* Whether a key is not live. An expired entry that has it is removed. */
static inline bool KEYED(clear)(struct TABLE *t, const TABLE_KEY *key, uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(locate)(t, key, KEYED(hash)(t, key));
    if (entry != NULL && KEYED(is_live)(t, entry, now))
        return false;
    if (entry != NULL)
        KEYED(remove)(t, entry);
    return true;
}

static inline bool KEYED(has_room)(struct TABLE *t, uint64_t now)
{
    return t->used < t->capacity || KEYED(expire_any)(t, now);
}

static inline TABLE_ENTRY *KEYED(add)(struct TABLE *t, const TABLE_KEY *key
                                          TABLE_UNIQUE_ARGUMENT TABLE_VALUES_ARGUMENT,
                                      uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(place)(t, key);
    entry->state = 1;
    entry->touched = now;
    keyed_link_last(t->links, t->capacity, KEYED(slot)(t, entry));
#ifdef TABLE_UNIQUE
    entry->unique = *unique;
    KEYED(place_unique)(t, entry);
#endif
#ifdef TABLE_VALUES
    entry->values = *values;
#endif
    t->used++;
    return entry;
}

static inline TABLE_ENTRY *KEYED(insert)(struct TABLE *t, const TABLE_KEY *key
                                             TABLE_UNIQUE_ARGUMENT TABLE_VALUES_ARGUMENT,
                                         uint64_t now)
{
    if (!KEYED(clear)(t, key, now))
        return NULL;
#ifdef TABLE_UNIQUE
    if (!KEYED(clear_unique)(t, unique, now))
        return NULL;
#endif
    if (!KEYED(has_room)(t, now))
        return NULL;
    return KEYED(add)(t, key TABLE_UNIQUE_PASSED TABLE_VALUES_PASSED, now);
}

#ifdef TABLE_UNIQUE
#include "keyed_table_choose.h"
#endif

/* ---- the table itself */

static inline void KEYED(destroy)(struct TABLE *t)
{
    if (t == NULL)
        return;
#ifdef TABLE_UNIQUE
    KEYED(destroy_choosers)(t);
    free(t->allowed);
    keyed_release(t->index);
#endif
    keyed_release(t->by_key);
    keyed_release(t->links);
    keyed_release(t->entries);
    free(t);
}

static inline bool KEYED(allocate)(struct TABLE *t)
{
    t->entries = keyed_reserve((size_t)t->capacity + 1, sizeof *t->entries); /* guess 0 is always one */
    t->by_key = keyed_reserve(t->places, sizeof *t->by_key);
    t->links = keyed_reserve((size_t)t->capacity + TABLE_TIMERS + 1, sizeof *t->links);
#ifdef TABLE_UNIQUE
    t->index = keyed_reserve(t->places, sizeof *t->index);
    if (t->index == NULL)
        return false;
#endif
    return t->entries != NULL && t->by_key != NULL && t->links != NULL;
}

static inline struct TABLE *KEYED(create)(uint32_t capacity, const uint64_t *lifetimes_ns,
                                          uint64_t secret)
{
    struct TABLE *t = capacity > KEYED_MOST_CAPACITY ? NULL : calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->capacity = capacity;
    t->secret = secret;
    t->places = 2 * capacity + 1;
    if (!KEYED(allocate)(t)) {
        KEYED(destroy)(t);
        return NULL;
    }
    for (uint32_t timer = 0; timer != TABLE_TIMERS; timer++)
        t->lifetimes[timer] =
            lifetimes_ns[timer] > INT64_MAX ? INT64_MAX : (int64_t)lifetimes_ns[timer];
    /* One list even without timers, so that entries can always be linked. */
    for (uint32_t timer = 0; timer <= TABLE_TIMERS; timer++)
        keyed_link_empty(t->links, t->capacity + timer);
    return t;
}

#undef TABLE
#undef TABLE_KEY
#undef TABLE_KEY_EQUAL
#undef TABLE_UNIQUE_EQUAL
#undef TABLE_UNIQUE
#undef TABLE_VALUES
#undef TABLE_TIMERS
#undef TABLE_ENTRY
#undef TABLE_UNIQUE_ARGUMENT
#undef TABLE_UNIQUE_PASSED
#undef TABLE_VALUES_ARGUMENT
#undef TABLE_VALUES_PASSED
