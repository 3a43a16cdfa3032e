/* lock.h: one lock for the objects that cores share: many readers, or one writer.
 *
 * Each core has a token on a cache line of its own. A reader takes its own token, so readers of different
 * cores touch no common line. A writer takes the writers' token first, then all others in order, so it
 * waits for the readers that are inside; new readers wait for it.
 */
#ifndef LOCK_H
#define LOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

enum { LOCK_LINE_BYTES = 128, LOCK_SPINS = 64 }; /* two lines: CPUs fetch them in pairs */

struct lock_token {
    _Alignas(LOCK_LINE_BYTES) atomic_uint is_taken;
};

struct core_lock {
    struct lock_token writer;
    uint16_t cores;
    struct lock_token readers[];
};

/* Free with free(). NULL when memory is short. */
static inline struct core_lock *lock_create(uint16_t cores)
{
    size_t bytes = sizeof(struct core_lock) + cores * sizeof(struct lock_token);
    struct core_lock *lock = aligned_alloc(LOCK_LINE_BYTES, bytes);
    if (lock == NULL)
        return NULL;
    lock->cores = cores;
    atomic_init(&lock->writer.is_taken, 0);
    for (uint16_t core = 0; core < cores; core++)
        atomic_init(&lock->readers[core].is_taken, 0);
    return lock;
}

/* Cores may be more than CPUs: who waits long lets others run. */
static inline void lock_take(struct lock_token *token)
{
    for (unsigned tries = 1; atomic_exchange_explicit(&token->is_taken, 1, memory_order_acquire) != 0;
         tries++)
        if (tries % LOCK_SPINS == 0)
            thrd_yield();
}

static inline void lock_give(struct lock_token *token)
{
    atomic_store_explicit(&token->is_taken, 0, memory_order_release);
}

static inline void lock_read(struct core_lock *lock, uint16_t core)
{
    lock_take(&lock->readers[core]);
}

static inline void lock_end_read(struct core_lock *lock, uint16_t core)
{
    lock_give(&lock->readers[core]);
}

static inline void lock_write(struct core_lock *lock)
{
    lock_take(&lock->writer);
    for (uint16_t core = 0; core < lock->cores; core++)
        lock_take(&lock->readers[core]);
}

static inline void lock_end_write(struct core_lock *lock)
{
    for (uint16_t core = 0; core < lock->cores; core++)
        lock_give(&lock->readers[core]);
    lock_give(&lock->writer);
}

#endif
