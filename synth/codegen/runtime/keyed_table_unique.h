/* keyed_table_unique.h: the second, unique key of a keyed table. Part of keyed_table.h.
 *
 * An index beside the entries: a lookup touches a line of the index and then the entry's.
 */

static inline uint32_t KEYED(hash_unique)(const struct TABLE *t, const TABLE_UNIQUE *unique)
{
    return keyed_hash(unique, sizeof *unique, t->secret);
}

/* The entry of a unique key, live or not. */
static inline TABLE_ENTRY *KEYED(locate_unique)(const struct TABLE *t, const TABLE_UNIQUE *unique)
{
    uint32_t hash = KEYED(hash_unique)(t, unique);
    uint32_t slot = keyed_home(hash, t->places);
    for (uint32_t left = t->places; left > 0; left--) {
        const struct keyed_index_slot *at = &t->index[slot];
        if (at->hash == hash && at->entry != KEYED_FREE &&
            memcmp(&t->entries[at->entry - 1].unique, unique, sizeof *unique) == 0)
            return &t->entries[at->entry - 1];
        if (at->passed == 0)
            return NULL;
        slot = keyed_next(slot, t->places);
    }
    return NULL;
}

/* Fetch the index's line for a unique key; the entry's is known only then. */
static inline void KEYED(prefetch_unique)(const struct TABLE *t, const TABLE_UNIQUE *unique)
{
    keyed_fetch(&t->index[keyed_home(KEYED(hash_unique)(t, unique), t->places)]);
}

static inline TABLE_ENTRY *KEYED(find_unique)(const struct TABLE *t, const TABLE_UNIQUE *unique,
                                              uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(locate_unique)(t, unique);
    return entry != NULL && KEYED(is_live)(t, entry, now) ? entry : NULL;
}

static inline TABLE_ENTRY *KEYED(recall_unique)(const struct TABLE *t, uint32_t *guess,
                                                const TABLE_UNIQUE *unique, uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(guessed)(t, *guess, now);
    if (entry != NULL && TABLE_UNIQUE_EQUAL(&entry->unique, unique))
        return entry;
    entry = KEYED(find_unique)(t, unique, now);
    if (entry != NULL)
        *guess = KEYED(slot)(t, entry);
    return entry;
}

static inline void KEYED(take_value)(struct TABLE *t, const TABLE_UNIQUE *unique);
static inline void KEYED(release_value)(struct TABLE *t, const TABLE_UNIQUE *unique);

static inline void KEYED(place_unique)(struct TABLE *t, const TABLE_ENTRY *entry)
{
    keyed_index_put(t->index, t->places, KEYED(hash_unique)(t, &entry->unique),
                    KEYED(slot)(t, entry));
    KEYED(take_value)(t, &entry->unique);
}

static inline void KEYED(displace_unique)(struct TABLE *t, const TABLE_ENTRY *entry)
{
    keyed_index_take(t->index, t->places, KEYED(hash_unique)(t, &entry->unique),
                     KEYED(slot)(t, entry));
    KEYED(release_value)(t, &entry->unique);
}

/* Whether a unique key is not live. An expired entry that has it is removed. */
static inline bool KEYED(clear_unique)(struct TABLE *t, const TABLE_UNIQUE *unique, uint64_t now)
{
    TABLE_ENTRY *entry = KEYED(locate_unique)(t, unique);
    if (entry != NULL && KEYED(is_live)(t, entry, now))
        return false;
    if (entry != NULL)
        KEYED(remove)(t, entry);
    return true;
}
