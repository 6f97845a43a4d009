/*
 * Runs a command and says on standard error, in one line, how much memory it took at most (KiB) and
 * how long (ms).  Usage: peak COMMAND [ARGUMENT ...]; exits as the command does.
 */
#include <err.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 2)
		errx(2, "usage: peak COMMAND [ARGUMENT ...]");
	double before = now_ms();
	pid_t child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (wait4(child, &status, 0, &usage) != child)
		err(1, "wait4");
	fprintf(stderr, "%ld %.0f\n", usage.ru_maxrss, now_ms() - before);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
