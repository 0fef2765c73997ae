// SPDX-License-Identifier: LGPL-2.1-or-later
/* Several threads at once open a chip, configure and evaluate, as sources and their samplers do. */
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cupti-test.h"

#define IMAGE		"tests/data/gpu/pm_small.bin"
#define SIZE		241612
#define THREADS		4
#ifdef __SANITIZE_ADDRESS__
#define TURNS		4
#define PROCESSES	4
#else
#define TURNS		20
#define PROCESSES	32
#endif

static struct library library;
static uint8_t image[SIZE];

static const char *const names[] = { "dram__bytes_read.sum",
				     "gr__cycles_active.avg.pct_of_peak_sustained_elapsed" };

/* Returns whether the image evaluates to its number of bytes. */
static bool evaluate(const struct host *host)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct evaluator evaluator;
	double values[2], sum = 0;
	size_t samples = 0;

	if (!evaluator_init(&evaluator, host, names, 2, &error) &&
	    !host_samples(&library, image, SIZE, &samples))
		for (size_t i = 0; i < samples; i++)
			if (!evaluator_values(&evaluator, image, SIZE, i, values))
				sum += values[0];
	evaluator_release(&evaluator);
	return fabs(sum / 7.08192e+10 - 1) < 1e-5;
}

static void *work(void *data)
{
	unsigned int *wrong = data;

	for (int i = 0; i < TURNS; i++) {
		struct gpmu_error error = { .size = sizeof(error) };
		struct host_config config = { 0 };
		struct host *host = NULL;

		if (host_new(&library, "GH100", &host, &error)) {
			++*wrong;
			continue;
		}
		*wrong += host->length != 1279;
		*wrong += !evaluate(host);
		*wrong += host_configure(host, names, 2, &config, &error) || config.passes != 1;
		host_config_release(&config);
		host_free(host);
	}
	return NULL;
}

static pthread_barrier_t barrier;

static void *begin(void *data)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct host *host = NULL;
	int *failed = data;

	pthread_barrier_wait(&barrier);
	*failed = host_new(&library, "GH100", &host, &error);
	host_free(host);
	return NULL;
}

/* All threads make the process's first call of CUPTI at the same time. */
static int first_of_all(void)
{
	pthread_t threads[THREADS];
	int failed[THREADS] = { 0 }, any = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, begin, &failed[i]))
			return 1;
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		any |= failed[i];
	}
	return any != 0;
}

static void processes(void)
{
	int status, failed = 0;

	for (int i = 0; i < PROCESSES; i++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child)
			_exit(first_of_all());
		if (child < 0 || waitpid(child, &status, 0) != child)
			status = 1;
		failed += status != 0;
	}
	is_u64((uint64_t)failed, 0,
	       "threads can make a process's first call of CUPTI at the same time");
}

int main(void)
{
	unsigned int wrong[THREADS] = { 0 };
	FILE *file = fopen(IMAGE, "re");
	pthread_t threads[THREADS];

	is_u64(file ? fread(image, 1, SIZE, file) : 0, SIZE, IMAGE " has its 241612 bytes");
	if (file)
		fclose(file);
	test_library(&library);
	processes();
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &wrong[i]))
			return 1;
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		is_u64(wrong[i], 0, "a thread has right results beside other threads");
	}
	library_close(&library);
	return done_testing();
}
