#include "system/process.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system/interrupt.h"

/* Between SIGTERM and SIGKILL: iperf3 tells its server that it ends, and prints what it has. */
#define GRACE_MS 2000
/* Processes of one wait; more are not looked at. */
#define WAIT_MAX 8

int64_t process_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the child ---- */

static void child(const char *const *argv, const int in[2], const int out[2], int report,
    bool group, pid_t parent)
{
	char *const *words;

	/* execvp changes nothing, whatever its type says */
	memcpy(&words, &argv, sizeof(words));
	if (group)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	dup2(out[1], STDERR_FILENO);
	interrupt_reset_child();
	/* process_end sends it, and what a script runs in the background ignores it (POSIX sh, 2.9.3.1) */
	signal(SIGINT, SIG_DFL);
	if (getppid() == parent)
		execvp(words[0], words);
	int error = errno;
	ssize_t ignored = write(report, &error, sizeof(error));
	(void)ignored;
	_exit(127);
}

/* All that goes in is there before the program starts to read: a script is smaller than a pipe. */
static bool input_write(int fd, const char *input)
{
	size_t length = strlen(input);

	return length == 0 || write(fd, input, length) == (ssize_t)length;
}

static void close_both(const int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

/* The errno of a failed exec, 0 when the program runs. */
static int start_error(int fd)
{
	int error = 0;
	ssize_t got;

	do
		got = read(fd, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

static bool pipes_open(int in[2], int out[2], int report[2])
{
	return pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
	       pipe2(report, O_CLOEXEC) == 0 && fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 &&
	       fcntl(out[0], F_SETFL, O_NONBLOCK) == 0;
}

bool process_start(
    struct process *process, const char *const *argv, const char *input, bool hold, bool group)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, report[2] = {-1, -1};
	pid_t parent = getpid();

	*process = (struct process){.in = -1, .out = -1, .group = group};
	bool good = pipes_open(in, out, report) && input_write(in[1], input);
	pid_t pid = good ? fork() : -1;
	if (pid == 0)
		child(argv, in, out, report[1], group, parent);
	if (pid < 0) {
		process->error = errno;
		close_both(in);
		close_both(out);
		close_both(report);
		return false;
	}
	if (group)
		setpgid(pid, pid);
	close(in[0]);
	close(out[1]);
	close(report[1]);
	process->pid = pid;
	process->in = in[1];
	process->out = out[0];
	process->error = start_error(report[0]);
	close(report[0]);
	if (!hold)
		process_close_input(process);
	if (process->error == 0)
		return true;
	int error = process->error;
	process_free(process);
	process->error = error;
	return false;
}

/* ---- what it writes, and its end ---- */

static void keep(struct process *process, const char *bytes, size_t length)
{
	if (process->length + length > PROCESS_OUTPUT_MAX) {
		length = PROCESS_OUTPUT_MAX - process->length;
		process->cut = true;
	}
	if (process->length + length > process->capacity) {
		process->capacity = (process->length + length) * 2;
		process->text = realloc(process->text, process->capacity);
		if (!process->text)
			err(1, NULL);
	}
	if (length > 0)
		memcpy(process->text + process->length, bytes, length);
	process->length += length;
}

static void drain(struct process *process)
{
	char bytes[65536];
	ssize_t got = 0;

	while (process->out >= 0 && (got = read(process->out, bytes, sizeof(bytes))) > 0)
		keep(process, bytes, (size_t)got);
	if (process->out >= 0 && (got == 0 || (errno != EAGAIN && errno != EINTR))) {
		close(process->out);
		process->out = -1;
	}
}

static void send(const struct process *process, int number)
{
	kill(process->group ? -process->pid : process->pid, number);
	/* a stopped one would not hear it */
	kill(process->group ? -process->pid : process->pid, SIGCONT);
}

static void look(struct process *process)
{
	if (process->pid == 0)
		return;
	if (process->kill_ms != 0 && process_now_ms() >= process->kill_ms)
		send(process, SIGKILL);
	if (waitpid(process->pid, &process->status, WNOHANG) != process->pid)
		return;
	/* what it wrote before its end; and what it started goes with it */
	drain(process);
	if (process->group)
		send(process, SIGKILL);
	process->pid = 0;
	process_close_input(process);
}

void process_wait(struct process *const *processes, size_t count, int timeout_ms)
{
	struct pollfd fds[WAIT_MAX];

	count = count < WAIT_MAX ? count : WAIT_MAX;
	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){.fd = processes[i]->out, .events = POLLIN};
	interrupt_poll(fds, (nfds_t)count, timeout_ms);
	for (size_t i = 0; i < count; i++) {
		drain(processes[i]);
		look(processes[i]);
	}
}

bool process_is_over(const struct process *process)
{
	return process->pid == 0;
}

void process_close_input(struct process *process)
{
	if (process->in >= 0)
		close(process->in);
	process->in = -1;
}

void process_end(struct process *process)
{
	if (process->pid == 0 || process->kill_ms != 0)
		return;
	process->kill_ms = process_now_ms() + GRACE_MS;
	send(process, SIGINT);
}

void process_free(struct process *process)
{
	if (!process)
		return;
	if (process->pid != 0) {
		send(process, SIGKILL);
		while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
			continue;
	}
	process_close_input(process);
	if (process->out >= 0)
		close(process->out);
	free(process->text);
	*process = (struct process){.in = -1, .out = -1, .status = process->status};
}
