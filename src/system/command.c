#include "system/command.h"

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system/interrupt.h"

#define WORDS_MAX 256
/* How often the end of the command is looked for: a fraction of what any measurement takes. */
#define LOOK_MS 20
/* Between SIGTERM and SIGKILL: iperf3 tells its server that it ends. */
#define GRACE_MS 2000

enum channel { CHANNEL_OUTPUT, CHANNEL_WORDS, CHANNEL_ERROR, CHANNEL_COUNT };

struct running {
	struct command_result *result;
	pid_t pid;
	int fd
	    [CHANNEL_COUNT]; /* -1 when closed; CHANNEL_ERROR brings the errno of a failed start */
	size_t capacity;
	int64_t started_ms;
	int64_t deadline_ms, kill_ms; /* kill_ms 0: not being ended */
	command_tick *tick;	      /* or NULL */
	void *context;
	bool reaped;
	int status;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool command_needs_shell(const char *line)
{
	return strpbrk(line, "|&;<>()$`\\\"'*?[]{}#~!\n") != NULL;
}

/* ---- the child ---- */

static void become(const char *line)
{
	static char copy[65536];
	char *words[WORDS_MAX + 1], *at = copy;
	size_t count = 0;

	if (command_needs_shell(line)) {
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		return;
	}
	if (strlcpy(copy, line, sizeof(copy)) >= sizeof(copy)) {
		errno = E2BIG;
		return;
	}
	for (char *word; (word = strsep(&at, " \t")) != NULL && count < WORDS_MAX;)
		if (*word)
			words[count++] = word;
	words[count] = NULL;
	if (count > 0)
		execvp(words[0], words);
	else
		errno = ENOENT;
}

/* The death of this program ends the command, too: what it measures would be of other settings. */
static void child(const char *line, const int *ends, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(ends[CHANNEL_OUTPUT], STDOUT_FILENO);
	dup2(ends[CHANNEL_WORDS], STDERR_FILENO);
	interrupt_reset_child();
	if (getppid() == parent)
		become(line);
	int error = errno;
	ssize_t ignored = write(ends[CHANNEL_ERROR], &error, sizeof(error));
	(void)ignored;
	_exit(127);
}

static bool start(struct running *running, const char *line)
{
	int ends[CHANNEL_COUNT] = {-1, -1, -1};
	pid_t parent = getpid();
	bool good = true;

	for (int i = 0; i < CHANNEL_COUNT; i++) {
		int both[2] = {-1, -1};
		good =
		    good && pipe2(both, O_CLOEXEC) == 0 && fcntl(both[0], F_SETFL, O_NONBLOCK) == 0;
		running->fd[i] = both[0];
		ends[i] = both[1];
	}
	running->pid = good ? fork() : -1;
	if (running->pid == 0)
		child(line, ends, parent);
	int error = errno;
	for (int i = 0; i < CHANNEL_COUNT; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	/* Whichever of the two comes first makes the group. */
	if (running->pid > 0)
		setpgid(running->pid, running->pid);
	errno = error;
	return running->pid > 0;
}

/* ---- what it writes ---- */

static void keep_output(struct running *running, const char *bytes, size_t length)
{
	struct command_result *result = running->result;

	if (result->length + length > COMMAND_OUTPUT_MAX) {
		result->end = COMMAND_TOO_LONG;
		return;
	}
	if (result->length + length > running->capacity) {
		running->capacity = (result->length + length) * 2;
		result->output = realloc(result->output, running->capacity);
		if (!result->output)
			err(1, NULL);
	}
	memcpy(result->output + result->length, bytes, length);
	result->length += length;
}

/* Keeps the end: the reason of a failure comes last. */
static void keep_words(struct command_result *result, const char *bytes, size_t length)
{
	size_t room = sizeof(result->words) - 1, used = strlen(result->words);

	if (length > room) {
		bytes += length - room;
		length = room;
	}
	if (used + length > room) {
		memmove(result->words, result->words + (used + length - room), room - length);
		used = room - length;
	}
	memcpy(result->words + used, bytes, length);
	result->words[used + length] = '\0';
	/* A NUL among them would hide what follows. */
	for (size_t i = 0; i < length; i++)
		if (result->words[used + i] == '\0')
			result->words[used + i] = '?';
}

static void keep(struct running *running, int channel, const char *bytes, size_t length)
{
	int error;

	if (channel == CHANNEL_OUTPUT)
		keep_output(running, bytes, length);
	else if (channel == CHANNEL_WORDS)
		keep_words(running->result, bytes, length);
	else if (length >= sizeof(error)) {
		memcpy(&error, bytes, sizeof(error));
		running->result->end = COMMAND_NOT_STARTED;
		running->result->status = error;
	}
}

/* Takes what is there; closes what has ended. */
static void drain(struct running *running)
{
	char bytes[65536];

	for (int i = 0; i < CHANNEL_COUNT; i++) {
		ssize_t got = 0;
		while (running->fd[i] >= 0 &&
		       (got = read(running->fd[i], bytes, sizeof(bytes))) > 0 &&
		       running->result->end != COMMAND_TOO_LONG)
			keep(running, i, bytes, (size_t)got);
		if (running->fd[i] >= 0 &&
		    (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))) {
			close(running->fd[i]);
			running->fd[i] = -1;
		}
	}
}

/* ---- its end ---- */

static void end_group(struct running *running, enum command_end why)
{
	if (running->kill_ms != 0)
		return;
	running->result->end = why;
	running->kill_ms = now_ms() + GRACE_MS;
	kill(-running->pid, SIGTERM);
	/* A stopped one would not hear it. */
	kill(-running->pid, SIGCONT);
}

static void look(struct running *running)
{
	int64_t now = now_ms();

	if (running->result->end == COMMAND_TOO_LONG)
		end_group(running, COMMAND_TOO_LONG);
	else if (interrupt_signal() != 0)
		end_group(running, COMMAND_INTERRUPTED);
	else if (now >= running->deadline_ms)
		end_group(running, COMMAND_TIMED_OUT);
	if (running->kill_ms != 0 && now >= running->kill_ms)
		kill(-running->pid, SIGKILL);
	pid_t got = waitpid(running->pid, &running->status, WNOHANG);
	/* Somebody else in this process has reaped it: it has ended, and how is lost. */
	if (got < 0 && errno == ECHILD && running->result->end == COMMAND_EXITED)
		running->result->end = COMMAND_LOST;
	running->reaped = got == running->pid || (got < 0 && errno == ECHILD);
}

static void wait_for_end(struct running *running)
{
	while (!running->reaped) {
		struct pollfd fds[CHANNEL_COUNT];
		for (int i = 0; i < CHANNEL_COUNT; i++)
			fds[i] = (struct pollfd){.fd = running->fd[i], .events = POLLIN};
		interrupt_poll(fds, CHANNEL_COUNT, LOOK_MS);
		drain(running);
		look(running);
		if (running->tick)
			running->tick(
			    (double)(now_ms() - running->started_ms) / 1000, running->context);
	}
	/* Once more: it may have written between the last look and its end.  What it left running may
	 * hold the pipes open, so that their end is not waited for. */
	drain(running);
	/* What was ended by force is ended whole. */
	if (running->kill_ms != 0)
		kill(-running->pid, SIGKILL);
}

static void set_end(struct running *running)
{
	struct command_result *result = running->result;

	if (result->end != COMMAND_EXITED)
		return;
	if (WIFEXITED(running->status)) {
		result->status = WEXITSTATUS(running->status);
	} else {
		result->end = COMMAND_KILLED;
		result->status = WTERMSIG(running->status);
	}
}

void command_run(const char *line, unsigned limit_s, command_tick *tick, void *context,
    struct command_result *result)
{
	int64_t started_ms = now_ms();
	struct running running = {.result = result,
	    .fd = {-1, -1, -1},
	    .tick = tick,
	    .context = context,
	    .started_ms = started_ms};

	*result = (struct command_result){.end = COMMAND_EXITED};
	running.deadline_ms = started_ms + (int64_t)limit_s * 1000;
	if (start(&running, line)) {
		wait_for_end(&running);
		set_end(&running);
	} else {
		result->end = COMMAND_NOT_STARTED;
		result->status = errno;
	}
	for (int i = 0; i < CHANNEL_COUNT; i++)
		if (running.fd[i] >= 0)
			close(running.fd[i]);
	result->seconds = (double)(now_ms() - started_ms) / 1000;
}

void command_result_free(struct command_result *result)
{
	free(result->output);
	*result = (struct command_result){.end = COMMAND_EXITED};
}
