/*
 * Threads that stay: each takes the next task until none is left.
 *
 * Which worker does a task never matters to the result, so there is nothing to order. To sleep and be woken takes
 * longer than many a task, so who waits first looks for a moment whether something has happened.
 */
#include "base/pool.h"

#include "base/mem.h"
#include "base/processors.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST = 256 };

/* looks before a wait sleeps, some tens of microseconds in all; after every TURN of them, others may run */
enum { LOOKS = 1024, TURN = 64 };

struct worker {
	struct qkv_pool *pool;
	size_t index;
	pthread_t thread;
};

struct qkv_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	qkv_task *task;
	void *arg;
	size_t next, count; /* tasks not yet taken are next to count - 1 */
	size_t busy;        /* workers on a task */
	int closing;
	atomic_size_t events; /* what waits has begun, or ended, so many times; changes with the lock held */
	size_t workers;
	struct worker worker[];
};

/* takes tasks while there are any; called and left with the lock held */
static void
take(struct qkv_pool *p, size_t index)
{
	p->busy++;
	while (p->next < p->count) {
		qkv_task *task = p->task;
		size_t i = p->next++;

		pthread_mutex_unlock(&p->lock);
		task(p->arg, i, index);
		pthread_mutex_lock(&p->lock);
	}
	if (!--p->busy) {
		p->events++;
		pthread_cond_broadcast(&p->done);
	}
}

/* tells the processor that this thread looks and looks again */
static void
relax(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* waits for an event; called and left with the lock held */
static void
await(struct qkv_pool *p, pthread_cond_t *cond)
{
	size_t seen = p->events;

	pthread_mutex_unlock(&p->lock);
	for (int i = 1; i <= LOOKS && atomic_load_explicit(&p->events, memory_order_relaxed) == seen; i++) {
		relax();
		if (i % TURN == 0)
			sched_yield();
	}
	pthread_mutex_lock(&p->lock);
	if (p->events == seen)
		pthread_cond_wait(cond, &p->lock);
}

static void *
serve(void *arg)
{
	struct worker *w = arg;
	struct qkv_pool *p = w->pool;

	pthread_mutex_lock(&p->lock);
	while (!p->closing) {
		if (p->next < p->count)
			take(p, w->index);
		else
			await(p, &p->work);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int
qkv_pool_new(struct qkv_pool **out, int workers, struct qkv_err *e)
{
	size_t wanted = workers > 0 ? (size_t)workers : qkv_processors("");
	struct qkv_pool *p;

	if (wanted > MOST)
		wanted = MOST;
	p = qkv_mem_new(1, sizeof *p + wanted * sizeof *p->worker, e);
	if (!p)
		return -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->workers = wanted;
	p->closing = 1; /* no thread has been started */
	*out = p;
	return 0;
}

size_t
qkv_pool_size(const struct qkv_pool *p)
{
	return p->workers;
}

/* starts the threads, at the first use; one that cannot be started is done without */
static void
start(struct qkv_pool *p)
{
	p->closing = 0;
	for (size_t i = 1; i < p->workers; i++) {
		p->worker[i].pool = p;
		p->worker[i].index = i;
		if (pthread_create(&p->worker[i].thread, NULL, serve, &p->worker[i]))
			p->workers = i;
	}
}

void
qkv_pool_run(struct qkv_pool *p, size_t count, qkv_task *task, void *arg)
{
	if (count < 2 || p->workers == 1) {
		for (size_t i = 0; i < count; i++)
			task(arg, i, 0);
		return;
	}
	if (p->closing)
		start(p);
	pthread_mutex_lock(&p->lock);
	p->task = task;
	p->arg = arg;
	p->next = 0;
	p->count = count;
	p->events++;
	pthread_cond_broadcast(&p->work);
	take(p, 0);
	while (p->busy)
		await(p, &p->done);
	pthread_mutex_unlock(&p->lock);
}

void
qkv_pool_free(struct qkv_pool *p)
{
	if (!p)
		return;
	if (!p->closing) {
		pthread_mutex_lock(&p->lock);
		p->closing = 1;
		p->events++;
		pthread_cond_broadcast(&p->work);
		pthread_mutex_unlock(&p->lock);
		for (size_t i = 1; i < p->workers; i++)
			pthread_join(p->worker[i].thread, NULL);
	}
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_mutex_destroy(&p->lock);
	qkv_mem_free(p);
}
