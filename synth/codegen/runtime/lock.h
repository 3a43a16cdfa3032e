/* lock.h: one lock for the objects that cores share. A core holds it for a burst. */
#ifndef LOCK_H
#define LOCK_H

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

enum { LOCK_LINE_BYTES = 128, LOCK_SPINS = 64 }; /* two lines: CPUs fetch them in pairs */

struct core_lock {
    _Alignas(LOCK_LINE_BYTES) atomic_uint is_taken;
};

/* Free with free(). NULL when memory is short. */
static inline struct core_lock *lock_create(void)
{
    struct core_lock *lock = aligned_alloc(LOCK_LINE_BYTES, sizeof *lock);
    if (lock != NULL)
        atomic_init(&lock->is_taken, 0);
    return lock;
}

/* Cores may be more than CPUs: who waits long lets others run. */
static inline void lock_take(struct core_lock *lock)
{
    for (unsigned tries = 1; atomic_exchange_explicit(&lock->is_taken, 1, memory_order_acquire) != 0;
         tries++)
        if (tries % LOCK_SPINS == 0)
            thrd_yield();
}

static inline void lock_give(struct core_lock *lock)
{
    atomic_store_explicit(&lock->is_taken, 0, memory_order_release);
}

#endif
