// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program with CUDA on the fakes in its folder. It executes its arguments, WORD or WORD=VALUE:
 *
 *	init			cuInit()
 *	context=DEVICE kernel=NAME copy=BYTES peer=BYTES set=BYTES graph=NODES sync memory=BYTES
 *	memory=-BYTES unified=BYTES fault=PC environment=MHZ overhead=KIND external=ID ask
 *	pin=BYTES register=BYTES managed=BYTES		memory of the host; the N-th has the address N << 32
 *	unpin=N			frees it; -BYTES above: the call fails
 *	allocate=BYTES host=BYTES	allocates memory of the GPU, or of the host: each kernel adds 1 to what it holds
 *	free=N trim		frees the Nth of these, from 0; trims a pool
 *	contents		prints what they hold
 *	acc-register acc=KIND	OpenACC's runtime registers with ACC_PROFLIB; a record of KIND of it
 *	broken			loads malformed cubins
 *	async=BYTES async=-BYTES pool=OPERATION	memory of a pool; an operation on the pool
 *	jit=OPERATION cubin=NAME	an operation of the driver's compiler; loads a cubin with a function of this name
 *	module=CRC unload=CRC	loads or unloads a module of the recording of PC samples
 *	sampled=N		runs the kernels of that recording N times
 *	end-context		destroys the last context
 *	nothing			makes calls that launch no work
 *	capture=CODE captured=CODE	calls that begin and end the capture of a stream, with their results
 *	undelivered=N		launches N kernels whose records CUPTI never delivers
 *	mark=NAME push=NAME pop start=NAME end		NVTX
 *	enter=NAME leave=NAME	gpmu_mark_begin(), gpmu_mark_end()
 *	names=N			N marks with different texts of 4000 characters
 *	hold=NAME release	a kernel that runs until release
 *	profile=1 profile=0	cudaProfilerStart(), cudaProfilerStop()
 *	load=NAME		loads a library of its folder
 *	steal			registers its own buffers, as a program with its own profiler
 *	profiler=CALL		makes a call of CUPTI, which it links, and prints the result: subscribe, register, clock, disable or finalize
 *	finalize clock		ends CUPTI; registers a clock that is an hour late, as a program with its own profiler
 *	join joined		subscribes as a second tool, and prints the number of its kernels; CUDA 13.3
 *	destroy warn=TEXT fatal=TEXT	callbacks of CUPTI
 *	repeat=N		the next word, N times
 *	beside=WORD		the word, in a second thread, which is always the same one
 *	room=MIB		limits the address space to that much more
 *	reopen=FILE		closes all files but the standard ones, and opens this one with their numbers, as a daemon may
 *	await=FILE		waits until the file exists
 *	sleep=MS signal		SIGALRM to the process, which its own threads must receive
 *	enabled off		prints the number of enabled kinds of activities, of calls whose records are disabled
 *	enabled=N flushed	waits until N kinds are enabled, until records have been flushed and read
 *	stamp			prints the time, CLOCK_MONOTONIC_RAW in ns
 *	threads=N		N threads with 100 kernels each
 *	launcher		a thread that launches a kernel each millisecond from now on
 *	outlived=N		ends the main thread; then a thread launches N kernels and ends; -N: it calls exit(7)
 *	at-exit=N		registers a function for exit(3) and quick_exit(3) that launches N kernels
 *	ranges=N		the same with each kernel between cudaProfilerStart() and cudaProfilerStop()
 *	fork fork-init		a child that exits, or calls cuInit() before
 *	exec exec=FUNCTION	executes the program again with the remaining words, by execv() or this function
 *	exec-fails		calls execv() for a program that does not exist
 *	vanish=STATUS _Exit=STATUS quick=STATUS abort	functions that end the process
 *	abort-leaves		abort() with a handler of SIGABRT that leaves by siglongjmp()
 *	abort-returns abort-raises	abort() with a handler that returns, or sets SIG_DFL and raises SIGABRT
 *	exit-beside		a thread that calls exit(7), whose end a function of the program delays, registered before "init"
 *	kill segv exit=STATUS
 *	raise=SIGNAL		the signal to the process; waits for its end unless a handler is called
 *	locked=SIGNAL		the same while the thread holds a lock that a flush needs
 *	handle=SIGNAL		installs a handler that prints "handled"
 *	default=SIGNAL		sets SIG_DFL
 *	race=SIGNAL		prints whether the signal is ignored, as race.c has set it
 *	actions=SIGNAL		prints the signal's action, as sigaction() and as signal() return it
 *
 * It prints "done" before it ends in any way.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gpmu-mark.h>

static void (*fake_do)(const char *word, const char *text);
static int (*cu_init)(unsigned int flags);
static volatile sig_atomic_t signals, handled;

static void *open_beside(const char *name);

static void profile(const char *call)
{
	int (*function)(const char *call);

	*(void **)&function = dlsym(open_beside("libgpmu-user.so"), "profiler_call");
	printf("profiler %s %d\n", call, function(call));
	fflush(stdout);
}

static void *open_beside(const char *name)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void *library;

	while (length > 0 && path[length - 1] != '/')
		length--;
	snprintf(path + (length > 0 ? length : 0), 64, "%s", name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(2);
	}
	return library;
}

static int no_table(void)
{
	return 0;
}

/* Loads $NVTX_INJECTION64_PATH, as NVTX does at its first call */
static void load_nvtx(void)
{
	static int done;
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = !done && path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*initialize)(void *) = NULL;

	done = 1;
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
	if (initialize)
		initialize((void *)no_table);
}

static void *launch(void *unused)
{
	for (int i = 0; i < 100; i++)
		fake_do("kernel", "threaded");
	return unused;
}

static int has_launched;	/* launcher; atomic */

static void *launch_on(void *unused)
{
	for (;;) {
		fake_do("kernel", "later");
		__atomic_store_n(&has_launched, 1, __ATOMIC_RELAXED);
		poll(NULL, 0, 1);
	}
	return unused;
}

static void start_launcher(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, launch_on, NULL);
	while (!__atomic_load_n(&has_launched, __ATOMIC_RELAXED))
		poll(NULL, 0, 1);
}

static long outlived;	/* outlived=N */

static void *launch_after_main(void *unused)
{
	char state = 0;
	FILE *file;

	while (state != 'Z') {
		file = fopen("/proc/self/stat", "re");
		if (!file || fscanf(file, "%*d (program) %c", &state) != 1)
			abort();
		fclose(file);
	}
	for (long i = labs(outlived); i > 0; i--)
		fake_do("kernel", "outlived");
	if (outlived < 0)
		exit(7);
	return unused;
}

static void end_main_thread(long n)
{
	pthread_t thread;

	outlived = n;
	pthread_create(&thread, NULL, launch_after_main, NULL);
	pthread_exit(NULL);
}

static long late;	/* at-exit=N */

static void launch_late(void)
{
	while (late-- > 0)
		fake_do("kernel", "late");
}

static void *launch_in_ranges(void *unused)
{
	for (int i = 0; i < 100; i++) {
		fake_do("profile", "1");
		fake_do("kernel", "threaded");
		fake_do("profile", "0");
	}
	return unused;
}

static void threads(int n, void *(*function)(void *unused))
{
	pthread_t list[64];

	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&list[i], NULL, function, NULL);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(list[i], NULL);
}

static void count(int number)
{
	(void)number;
	signals++;
}

static void do_signal(void)
{
	signal(SIGALRM, count);
	kill(getpid(), SIGALRM);
	while (!signals)
		poll(NULL, 0, 1);
}

static void do_fork(int initialises)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (initialises)
			((int (*)(void))dlsym(dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW), "InitializeInjection"))();
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void on_handled(int number)
{
	(void)number;
	handled = 1;
	dprintf(STDOUT_FILENO, "handled\n");
}

static const char *action_name(void (*action)(int))
{
	return action == SIG_DFL ? "default" : action == SIG_IGN ? "ignored" : action == on_handled ? "own" : "another's";
}

static void do_actions(int number)
{
	struct sigaction action;
	void (*old)(int);

	sigaction(number, NULL, &action);
	old = signal(number, SIG_IGN);
	signal(number, old);
	dprintf(STDOUT_FILENO, "actions %s %s %d\n", action_name(action.sa_handler), action_name(old), action.sa_flags);
}

static void do_race(int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	dprintf(STDOUT_FILENO, "race %s\n", action.sa_handler == SIG_IGN ? "ignored" : "lost");
}

/* Returns true if the word is one of signals */
static int do_signals(const char *word, int number)
{
	if (!strcmp(word, "raise")) {
		handled = 0;
		kill(getpid(), number);
		if (!handled)
			poll(NULL, 0, 60000);
	} else if (!strcmp(word, "handle")) {
		signal(number, on_handled);
	} else if (!strcmp(word, "default")) {
		signal(number, SIG_DFL);
	} else if (!strcmp(word, "race")) {
		do_race(number);
	} else if (!strcmp(word, "actions")) {
		do_actions(number);
	} else {
		return 0;
	}
	return 1;
}

static sigjmp_buf before_abort;

static void on_abort(int number)
{
	(void)number;
	dprintf(STDOUT_FILENO, "aborted\n");
}

static void leave_abort(int number)
{
	on_abort(number);
	siglongjmp(before_abort, 1);
}

static void raise_again(int number)
{
	on_abort(number);
	signal(number, SIG_DFL);
	raise(number);
}

/* Calls abort() with a handler of SIGABRT. Returns true if the word is one of these */
static int do_abort(const char *word)
{
	if (!strcmp(word, "abort-leaves"))
		signal(SIGABRT, leave_abort);
	else if (!strcmp(word, "abort-returns"))
		signal(SIGABRT, on_abort);
	else if (!strcmp(word, "abort-raises"))
		signal(SIGABRT, raise_again);
	else
		return 0;
	if (!sigsetjmp(before_abort, 1))
		abort();
	return 1;
}

static int is_exiting;	/* atomic */

/* Called by exit() after the library's first flush, as it is registered before cuInit() */
static void never_return(void)
{
	if (__atomic_load_n(&is_exiting, __ATOMIC_RELAXED))
		poll(NULL, 0, -1);
}

static void note_exit(void)
{
	__atomic_store_n(&is_exiting, 1, __ATOMIC_RELAXED);
}

static void *call_exit(void *unused)
{
	(void)unused;
	exit(7);
}

/* Returns when exit() is about to flush. */
static void exit_beside(void)
{
	pthread_t thread;

	atexit(note_exit);
	pthread_create(&thread, NULL, call_exit, NULL);
	while (!__atomic_load_n(&is_exiting, __ATOMIC_RELAXED))
		poll(NULL, 0, 1);
	poll(NULL, 0, 20);
}

static long count_pages(void)
{
	long pages;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%ld", &pages) != 1)
		exit(2);
	fclose(file);
	return pages;
}

/* While malloc(3) makes an arena for another thread, the process has up to 128 MiB more for a moment. */
static void limit_memory(long room)
{
	struct rlimit limit = { 0 };
	long pages = count_pages(), now;

	for (int i = 0; i < 20; i++) {
		poll(NULL, 0, 5);
		now = count_pages();
		pages = now < pages ? now : pages;
	}
	limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (room << 20));
	if (setrlimit(RLIMIT_AS, &limit))
		exit(2);
}

static void reopen(const char *path)
{
	for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
		close(fd);
	for (int i = 0; i < 32; i++)
		if (open(path, O_RDWR) < 0)
			exit(2);
}

static void run(const char *word, const char *text);

/* The second thread executes a word between the two barriers. */
static pthread_barrier_t begin_word, end_word;
static char *word_beside;

static void run_word(char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	run(text, value ? value : "");
}

static void *run_words(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&begin_word);
		run_word(word_beside);
		pthread_barrier_wait(&end_word);
	}
	return unused;
}

static void run_beside(const char *text)
{
	static pthread_t thread;

	if (!thread) {
		pthread_barrier_init(&begin_word, NULL, 2);
		pthread_barrier_init(&end_word, NULL, 2);
		pthread_create(&thread, NULL, run_words, NULL);
	}
	word_beside = strdup(text);
	pthread_barrier_wait(&begin_word);
	pthread_barrier_wait(&end_word);
	free(word_beside);
}

static void execute(const char *function, char **argv)
{
	if (!strcmp(function, "execvp"))
		execvp(argv[0], argv);
	else if (!strcmp(function, "execve"))
		execve(argv[0], argv, environ);
	else if (!strcmp(function, "execl"))
		execl(argv[0], argv[0], argv[1], argv[2], argv[3], NULL);
	else if (!strcmp(function, "execle"))
		execle(argv[0], argv[0], argv[1], argv[2], argv[3], NULL, environ);
	else if (!strcmp(function, "execlp"))
		execlp(argv[0], argv[0], argv[1], argv[2], argv[3], NULL);
	else
		execv(argv[0], argv);
}

static void done(void)
{
	puts("done");
	fflush(stdout);
}

static int is_nvtx(const char *word)
{
	static const char *const words[] = { "mark", "push", "pop", "start", "end", "names" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], word))
			return 1;
	return 0;
}

static void *find_nothing(void)
{
	return NULL;
}

/* OpenACC's runtime registers its functions with the library of $ACC_PROFLIB. */
static void register_openacc(void)
{
	void (*library)(void *add, void *drop, void *lookup) = NULL;
	const char *path = getenv("ACC_PROFLIB");
	void *handle = path ? dlopen(path, RTLD_LAZY) : NULL;

	if (handle)
		*(void **)&library = dlsym(handle, "acc_register_library");
	if (library)
		library(find_nothing, find_nothing, find_nothing);
}

static void ends(const char *word, int value)
{
	if (!strcmp(word, "kill")) {
		done();
		raise(SIGKILL);
	} else if (!strcmp(word, "segv")) {
		done();
		raise(SIGSEGV);
	} else if (!strcmp(word, "vanish")) {
		done();
		_exit(value);
	} else if (!strcmp(word, "_Exit")) {
		done();
		_Exit(value);
	} else if (!strcmp(word, "quick")) {
		done();
		quick_exit(value);
	} else if (!strcmp(word, "abort")) {
		done();
		abort();
	} else if (!strcmp(word, "exec-fails")) {
		execl("/nonexistent", "nonexistent", NULL);
	} else if (!strcmp(word, "exit")) {
		done();
		exit(value);
	}
}

static void run(const char *word, const char *text)
{
	int value = (int)strtol(text, NULL, 0);
	struct timespec now;

	ends(word, value);
	if (do_signals(word, value) || do_abort(word))
		return;
	if (!strcmp(word, "init")) {
		if (cu_init(0))
			exit(2);
	} else if (!strcmp(word, "sleep")) {
		poll(NULL, 0, value);
	} else if (!strcmp(word, "beside")) {
		run_beside(text);
	} else if (!strcmp(word, "room")) {
		limit_memory(value);
	} else if (!strcmp(word, "reopen")) {
		reopen(text);
	} else if (!strcmp(word, "await")) {
		while (access(text, F_OK))
			poll(NULL, 0, 1);
	} else if (!strcmp(word, "signal")) {
		do_signal();
	} else if (!strcmp(word, "load")) {
		open_beside(text);
	} else if (!strcmp(word, "profiler")) {
		profile(text);
	} else if (!strcmp(word, "acc-register")) {
		register_openacc();
	} else if (!strcmp(word, "stamp")) {
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		printf("stamp %ld%09ld\n", now.tv_sec, now.tv_nsec);
		fflush(stdout);
	} else if (!strcmp(word, "enter")) {
		gpmu_mark_begin(text);
	} else if (!strcmp(word, "leave")) {
		gpmu_mark_end(text);
	} else if (!strcmp(word, "threads")) {
		threads(value, launch);
	} else if (!strcmp(word, "outlived")) {
		end_main_thread(value);
	} else if (!strcmp(word, "at-exit")) {
		late = value;
		if (atexit(launch_late) || at_quick_exit(launch_late))
			exit(2);
	} else if (!strcmp(word, "exit-beside")) {
		exit_beside();
	} else if (!strcmp(word, "launcher")) {
		start_launcher();
	} else if (!strcmp(word, "ranges")) {
		threads(value, launch_in_ranges);
	} else if (!strncmp(word, "fork", 4)) {
		do_fork(word[4] != 0);
	} else {
		if (is_nvtx(word))
			load_nvtx();
		fake_do(word, text);
	}
}

int main(int argc, char **argv)
{
	long repeat = 1;

	atexit(never_return);
	*(void **)&fake_do = dlsym(open_beside("libgpmu-fake.so"), "fake_do");
	*(void **)&cu_init = dlsym(open_beside("libcuda.so.1"), "cuInit");
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value)
			*value++ = '\0';
		if (!strcmp(argv[i], "repeat")) {
			repeat = strtol(value ? value : "1", NULL, 0);
			continue;
		}
		if (!strcmp(argv[i], "exec")) {
			argv[i] = argv[0];
			execute(value ? value : "execv", argv + i);
			return 2;
		}
		for (; repeat > 0; repeat--)
			run(argv[i], value ? value : "");
		repeat = 1;
	}
	done();
	return 0;
}
