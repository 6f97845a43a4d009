/*
 * Preloaded into a program (LD_PRELOAD), makes it one that holds its own TCP flow back, as programs
 * do whose source, disk or protocol is the limit:
 *
 *     THROTTLE_READ=BPS    reads sockets no faster
 *     THROTTLE_WRITE=BPS   writes no faster
 *     THROTTLE_WINDOW=N    writes no more than N bytes beyond what the peer has acknowledged
 *
 * Only reads and writes of 8 KiB and more count, so that a control connection is not held up.
 */
#include <dlfcn.h>
#include <linux/sockios.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define BULK_BYTES 8192

/* A queue of this program's bytes that empties at a rate: when it is empty again. */
struct pace {
	const char *variable;
	double bps;
	int64_t free_at_ns;
};

static struct pace reading = {.variable = "THROTTLE_READ"};
static struct pace writing = {.variable = "THROTTLE_WRITE"};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double setting(const char *variable)
{
	const char *text = getenv(variable);

	return text == NULL ? 0 : strtod(text, NULL);
}

static void pace_wait(struct pace *pace, ssize_t bytes)
{
	struct timespec until;
	int64_t now = now_ns();

	if (pace->bps == 0)
		pace->bps = setting(pace->variable);
	if (pace->bps <= 0 || bytes <= 0)
		return;
	if (pace->free_at_ns < now)
		pace->free_at_ns = now;
	pace->free_at_ns += (int64_t)((double)bytes * 8e9 / pace->bps);
	until.tv_sec = (time_t)(pace->free_at_ns / 1000000000);
	until.tv_nsec = (long)(pace->free_at_ns % 1000000000);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* How much of bytes may be written, once a quarter of the window is free. */
static size_t window_wait(int fd, size_t bytes)
{
	double window = setting("THROTTLE_WINDOW");
	int unacknowledged;

	if (window > 0 && (double)bytes > window / 4)
		bytes = (size_t)(window / 4);
	while (window > 0 && ioctl(fd, SIOCOUTQ, &unacknowledged) == 0 &&
	       (double)unacknowledged + (double)bytes > window)
		usleep(200);
	return bytes;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	ssize_t got;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "read");
	got = real(fd, buffer, size);
	if (size >= BULK_BYTES)
		pace_wait(&reading, got);
	return got;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	static ssize_t (*real)(int, const void *, size_t);
	ssize_t put;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (size < BULK_BYTES)
		return real(fd, buffer, size);
	put = real(fd, buffer, window_wait(fd, size));
	pace_wait(&writing, put);
	return put;
}
