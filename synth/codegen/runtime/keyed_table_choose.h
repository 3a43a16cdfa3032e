/* keyed_table_choose.h: choosing a free value of one member of the unique key. Part of
 * keyed_table.h.
 *
 * Entries whose unique keys are equal but for the chosen member are a group. For each group, pages
 * of 256 neighbouring values say which are taken; a page is there only while it has a taken one, so
 * memory follows the entries, not the ranges or the groups. A search looks at whole pages, starts
 * behind the value that was chosen last, and ends at the first page that is not full: for 64,512
 * ports that is 252 pages at the worst, and once a search has failed it is not repeated before a
 * value is given back. Values of expired entries are taken back only when no other is free.
 */

struct KEYED(page) {
    uint64_t taken[4];          /* 256 bits */
    uint64_t number;            /* of its values, the bits above the low 8 */
    uint32_t next;              /* page in the bucket, number + 1; or in the list of free pages */
    uint32_t count;             /* of taken values */
    TABLE_UNIQUE group;         /* with zero for the chosen member */
};

/* A search that failed: no use to repeat it while nothing was given back. */
struct KEYED(refusal) {
    bool is_set;
    uint64_t low;
    uint64_t high;
    uint64_t releases;
    TABLE_UNIQUE group;
};

/* What is known for one member that is chosen. Most tables have one. */
struct KEYED(chooser) {
    struct KEYED(chooser) *next;
    size_t offset;
    size_t size;
    uint64_t cursor;            /* above a range's low end: where the next search begins */
    uint64_t releases;          /* values given back */
    uint64_t secret;
    uint32_t buckets;
    uint32_t free_page;         /* number + 1; pages of removed groups */
    uint32_t pages_used;        /* the pages after these were never used */
    uint32_t *bucket;           /* page number + 1, or 0 */
    struct KEYED(page) *pages;
    struct KEYED(refusal) refusals[KEYED_REFUSALS];
};

static inline uint64_t KEYED(chosen_value)(const struct KEYED(chooser) *c,
                                           const TABLE_UNIQUE *unique)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)unique + c->offset, c->size);
    return value;
}

static inline void KEYED(set_chosen_value)(const struct KEYED(chooser) *c, TABLE_UNIQUE *unique,
                                           uint64_t value)
{
    memcpy((char *)unique + c->offset, &value, c->size);
}

static inline TABLE_UNIQUE KEYED(group_of)(const struct KEYED(chooser) *c,
                                           const TABLE_UNIQUE *unique)
{
    TABLE_UNIQUE group = *unique;
    KEYED(set_chosen_value)(c, &group, 0);
    return group;
}

/* ---- pages */

/* The link that leads to a page, or to nothing where it would be. */
static inline uint32_t *KEYED(page_link)(const struct KEYED(chooser) *c, const TABLE_UNIQUE *group,
                                         uint64_t number)
{
    uint32_t hash = keyed_hash(group, sizeof *group, c->secret ^ number);
    uint32_t *link = &c->bucket[keyed_home(hash, c->buckets)];
    while (*link != 0) {
        struct KEYED(page) *page = &c->pages[*link - 1];
        if (page->number == number && memcmp(&page->group, group, sizeof *group) == 0)
            break;
        link = &page->next;
    }
    return link;
}

static inline uint32_t KEYED(new_page)(struct KEYED(chooser) *c)
{
    uint32_t page = c->free_page;
    if (page == 0)
        return ++c->pages_used;
    c->free_page = c->pages[page - 1].next;
    return page;
}

static inline void KEYED(take_in)(struct KEYED(chooser) *c, const TABLE_UNIQUE *unique)
{
    uint64_t value = KEYED(chosen_value)(c, unique);
    TABLE_UNIQUE group = KEYED(group_of)(c, unique);
    uint64_t number = value >> KEYED_PAGE_BITS;
    uint32_t *link = KEYED(page_link)(c, &group, number);
    if (*link == 0) {
        *link = KEYED(new_page)(c);
        c->pages[*link - 1] = (struct KEYED(page)){.number = number, .group = group};
    }
    struct KEYED(page) *page = &c->pages[*link - 1];
    page->taken[value / 64 % 4] |= UINT64_C(1) << value % 64;
    page->count++;
}

static inline void KEYED(release_in)(struct KEYED(chooser) *c, const TABLE_UNIQUE *unique)
{
    uint64_t value = KEYED(chosen_value)(c, unique);
    TABLE_UNIQUE group = KEYED(group_of)(c, unique);
    uint32_t *link = KEYED(page_link)(c, &group, value >> KEYED_PAGE_BITS);
    struct KEYED(page) *page = &c->pages[*link - 1];
    page->taken[value / 64 % 4] &= ~(UINT64_C(1) << value % 64);
    page->count--;
    c->releases++;
    if (page->count > 0)
        return;
    uint32_t emptied = *link;
    *link = page->next;
    page->next = c->free_page;
    c->free_page = emptied;
}

static inline void KEYED(take_value)(struct TABLE *t, const TABLE_UNIQUE *unique)
{
    for (struct KEYED(chooser) *c = t->choosers; c != NULL; c = c->next)
        KEYED(take_in)(c, unique);
}

static inline void KEYED(release_value)(struct TABLE *t, const TABLE_UNIQUE *unique)
{
    for (struct KEYED(chooser) *c = t->choosers; c != NULL; c = c->next)
        KEYED(release_in)(c, unique);
}

/* ---- choosing */

/* Let only some values be chosen: a bit for each, in whole pages, up to the highest that is ever asked
 * for. The table frees the bits. False for NULL. */
static inline bool KEYED(allow)(struct TABLE *t, uint64_t *values)
{
    t->allowed = values;
    return values != NULL;
}

static inline bool KEYED(may_choose)(const struct TABLE *t, uint64_t value)
{
    return t->allowed == NULL || (t->allowed[value / 64] >> value % 64 & 1) != 0;
}

/* The first free value of a page between two of its values, both below 256. `page` is NULL when none is
 * taken, `allowed` when all may be chosen. */
static inline bool KEYED(free_in_page)(const struct KEYED(page) *page, const uint64_t *allowed,
                                       unsigned low, unsigned high, unsigned *found)
{
    for (unsigned word = low / 64; word <= high / 64; word++) {
        uint64_t free_bits = page != NULL ? ~page->taken[word] : UINT64_MAX;
        if (allowed != NULL)
            free_bits &= allowed[word];
        if (word == low / 64)
            free_bits &= UINT64_MAX << low % 64;
        if (word == high / 64)
            free_bits &= UINT64_MAX >> (63 - high % 64);
        if (free_bits != 0) {
            *found = word * 64 + (unsigned)__builtin_ctzll(free_bits);
            return true;
        }
    }
    return false;
}

/* The first value between low and high that no entry of the group has, expired or not. */
static inline bool KEYED(first_free)(const struct TABLE *t, const struct KEYED(chooser) *c,
                                     const TABLE_UNIQUE *group, uint64_t low, uint64_t high,
                                     uint64_t *value)
{
    const unsigned in_page = (1u << KEYED_PAGE_BITS) - 1;
    for (uint64_t at = low;;) {
        uint64_t last = (at | in_page) < high ? at | in_page : high;
        uint32_t page = *KEYED(page_link)(c, group, at >> KEYED_PAGE_BITS);
        const uint64_t *allowed =
            t->allowed != NULL ? t->allowed + (at >> KEYED_PAGE_BITS) * KEYED_PAGE_WORDS : NULL;
        unsigned found = (unsigned)at & in_page;
        if (KEYED(free_in_page)(page != 0 ? &c->pages[page - 1] : NULL, allowed, found,
                                (unsigned)last & in_page, &found)) {
            *value = (at & ~(uint64_t)in_page) | found;
            return true;
        }
        if (last == high)
            return false;
        at = last + 1;
    }
}

/* The same, beginning behind the value that was chosen last. */
static inline bool KEYED(next_free)(const struct TABLE *t, const struct KEYED(chooser) *c,
                                    const TABLE_UNIQUE *group, uint64_t low, uint64_t high,
                                    uint64_t *value)
{
    uint64_t last = high - low;
    uint64_t start = low + (last == UINT64_MAX ? c->cursor : c->cursor % (last + 1));
    if (KEYED(first_free)(t, c, group, start, high, value))
        return true;
    return start > low && KEYED(first_free)(t, c, group, low, start - 1, value);
}

/* Remove expired entries until one gives back a value of the group between low and high. */
static inline bool KEYED(reclaim)(struct TABLE *t, const struct KEYED(chooser) *c,
                                  const TABLE_UNIQUE *group, uint64_t low, uint64_t high,
                                  uint64_t now, uint64_t *value)
{
    for (uint32_t timer = 0; timer != TABLE_TIMERS; timer++) {
        for (;;) {
            uint32_t oldest = t->links[t->capacity + timer].next;
            if (oldest >= t->capacity)
                break;
            TABLE_UNIQUE unique = t->entries[oldest].unique;
            if (!KEYED(expire)(t, timer, now))
                break;
            TABLE_UNIQUE other = KEYED(group_of)(c, &unique);
            *value = KEYED(chosen_value)(c, &unique);
            if (*value >= low && *value <= high && KEYED(may_choose)(t, *value) &&
                memcmp(&other, group, sizeof other) == 0)
                return true;
        }
    }
    return false;
}

static inline bool KEYED(is_refusal)(const struct KEYED(refusal) *r,
                                     const struct KEYED(chooser) *c, const TABLE_UNIQUE *group,
                                     uint64_t low, uint64_t high)
{
    return r->is_set && r->releases == c->releases && r->low == low && r->high == high &&
           memcmp(&r->group, group, sizeof *group) == 0;
}

static inline bool KEYED(choose)(struct TABLE *t, struct KEYED(chooser) *c,
                                 const TABLE_UNIQUE *group, uint64_t low, uint64_t high,
                                 uint64_t now, uint64_t *value)
{
    uint32_t number = (KEYED(hash_unique)(t, group) ^ (uint32_t)low) % KEYED_REFUSALS;
    struct KEYED(refusal) *refusal = &c->refusals[number];
    bool is_found = !KEYED(is_refusal)(refusal, c, group, low, high) &&
                    KEYED(next_free)(t, c, group, low, high, value);
    if (!is_found && !KEYED(reclaim)(t, c, group, low, high, now, value)) {
        *refusal = (struct KEYED(refusal)){true, low, high, c->releases, *group};
        return false;
    }
    c->cursor = *value - low + 1;
    return true;
}

/* ---- choosers */

static inline void KEYED(destroy_chooser)(struct KEYED(chooser) *c)
{
    free(c->bucket);
    free(c->pages);
    free(c);
}

static inline void KEYED(destroy_choosers)(struct TABLE *t)
{
    while (t->choosers != NULL) {
        struct KEYED(chooser) *c = t->choosers;
        t->choosers = c->next;
        KEYED(destroy_chooser)(c);
    }
}

/* Make the chooser of a member, from the entries that are there. NULL when memory is short. */
static inline struct KEYED(chooser) *KEYED(create_chooser)(struct TABLE *t, size_t offset,
                                                           size_t size)
{
    struct KEYED(chooser) *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->offset = offset;
    c->size = size;
    c->secret = t->secret;
    c->buckets = t->capacity + 1;
    c->bucket = calloc(c->buckets, sizeof *c->bucket);
    c->pages = calloc((size_t)t->capacity + 1, sizeof *c->pages);
    if (c->bucket == NULL || c->pages == NULL) {
        KEYED(destroy_chooser)(c);
        return NULL;
    }
    for (uint32_t slot = 0; slot < t->fresh; slot++)
        if (t->entries[slot].state != KEYED_FREE)
            KEYED(take_in)(c, &t->entries[slot].unique);
    c->next = t->choosers;
    t->choosers = c;
    return c;
}

static inline struct KEYED(chooser) *KEYED(chooser_of)(struct TABLE *t, size_t offset, size_t size)
{
    for (struct KEYED(chooser) *c = t->choosers; c != NULL; c = c->next)
        if (c->offset == offset)
            return c;
    return KEYED(create_chooser)(t, offset, size);
}

static inline TABLE_ENTRY *KEYED(insert_choosing)(struct TABLE *t, const TABLE_KEY *key,
                                                  TABLE_UNIQUE *unique TABLE_VALUES_ARGUMENT,
                                                  size_t offset, size_t size, uint64_t low,
                                                  uint64_t high, uint64_t now)
{
    struct KEYED(chooser) *c = KEYED(chooser_of)(t, offset, size);
    if (c == NULL || !KEYED(clear)(t, key, now) || !KEYED(has_room)(t, now))
        return NULL;
    TABLE_UNIQUE group = KEYED(group_of)(c, unique);
    uint64_t value;
    if (!KEYED(choose)(t, c, &group, low, high, now, &value))
        return NULL;
    KEYED(set_chosen_value)(c, unique, value);
    return KEYED(add)(t, key TABLE_UNIQUE_PASSED TABLE_VALUES_PASSED, now);
}
