#include "options/options.h"

#include "evidence/socket_state.h"
#include "evidence/tunable.h"
#include "options/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WORDS_MAX 12

/* What one call wrote, and where it left the operands. */
struct outcome {
	enum options_result result;
	struct options options;
	char *argv[WORDS_MAX + 2];
	int argc;
	char out[32768], err[1024];
};

static void stream_redirect(FILE *stream, FILE *into, int *saved)
{
	fflush(stream);
	*saved = dup(fileno(stream));
	assert_true(*saved >= 0);
	assert_true(dup2(fileno(into), fileno(stream)) >= 0);
}

static void stream_restore(FILE *stream, FILE *from, int saved, char *text, size_t size)
{
	fflush(stream);
	assert_true(dup2(saved, fileno(stream)) >= 0);
	close(saved);
	rewind(from);
	size_t length = fread(text, 1, size - 1, from);
	text[length] = '\0';
	fclose(from);
}

static void run(struct outcome *outcome, const char *const words[])
{
	static char name[] = "bdp";
	*outcome = (struct outcome){.argc = 1, .argv = {name}};
	for (size_t i = 0; words[i]; i++) {
		assert_true(i < WORDS_MAX);
		outcome->argv[outcome->argc++] = strdup(words[i]);
	}
	FILE *out = tmpfile(), *err = tmpfile();
	assert_non_null(out);
	assert_non_null(err);
	int saved_out, saved_err;
	stream_redirect(stdout, out, &saved_out);
	stream_redirect(stderr, err, &saved_err);
	outcome->result = options_parse(&outcome->options, outcome->argc, outcome->argv);
	stream_restore(stderr, err, saved_err, outcome->err, sizeof outcome->err);
	stream_restore(stdout, out, saved_out, outcome->out, sizeof outcome->out);
	print_message("bdp");
	for (size_t i = 0; words[i]; i++)
		print_message(" '%s'", words[i]);
	print_message(": %s", outcome->err[0] ? outcome->err : "\n");
}

static void release(struct outcome *outcome)
{
	for (int i = 1; i < outcome->argc; i++)
		free(outcome->argv[i]);
}

static void run_well(struct outcome *outcome, const char *const words[])
{
	run(outcome, words);
	assert_string_equal(outcome->err, "");
	assert_string_equal(outcome->out, "");
	assert_int_equal(outcome->result, OPTIONS_RUN);
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= fabs(expected) * 1e-12);
}

static void test_nothing_given(void **state)
{
	(void)state;
	struct outcome outcome;
	run_well(&outcome, (const char *const[]){NULL});
	assert_int_equal(outcome.options.verb, VERB_ADVISE);
	assert_int_equal(outcome.options.given, 0);
	assert_int_equal(outcome.options.operand_count, 0);
	assert_int_equal(outcome.options.form, FORM_TEXT);
	assert_int_equal(outcome.options.color, COLOR_AUTO);
	assert_int_equal(outcome.options.role, ROLE_UNKNOWN);
	assert_null(outcome.options.sysroot);
	release(&outcome);
}

static void test_numbers(void **state)
{
	(void)state;
	struct outcome outcome;
	run_well(&outcome, (const char *const[]){"-b", "703M", "--rtt=52ms", "-l0.126%", "-t",
			       "3,34G", "--idle-rtt", "800us", NULL});
	const struct options *options = &outcome.options;
	assert_int_equal(options->given,
	    GIVEN_BANDWIDTH | GIVEN_RTT | GIVEN_LOSS | GIVEN_TARGET | GIVEN_IDLE_RTT);
	assert_near(options->bandwidth_bps, 703e6);
	assert_near(options->rtt_us, 52e3);
	assert_near(options->loss_ratio, 0.00126);
	assert_near(options->target_bps, 3.34e9);
	assert_near(options->idle_rtt_us, 800);
	release(&outcome);

	run_well(&outcome, (const char *const[]){"-w", "4.36M", "--memory", "16G", "-c", "10000",
			       "--run", "2", NULL});
	assert_true(options->window_bytes == 4571791);
	assert_true(options->memory_bytes == (uint64_t)16 << 30);
	assert_true(options->connections == 10000);
	assert_int_equal(options->run, 2);
	assert_int_equal(
	    options->given, GIVEN_WINDOW | GIVEN_MEMORY | GIVEN_CONNECTIONS | GIVEN_RUN);
	release(&outcome);
}

static void test_words_and_flags(void **state)
{
	(void)state;
	struct outcome outcome;
	const struct options *options = &outcome.options;
	run_well(&outcome,
	    (const char *const[]){"--role", "proxy", "-o", "sysctl", "--color=never", "--sysctl",
		"lb.txt", "--kernel", "5.15.0-91-generic", "--no-host", NULL});
	assert_int_equal(options->role, ROLE_PROXY);
	assert_int_equal(options->form, FORM_SYSCTL);
	assert_int_equal(options->color, COLOR_NEVER);
	assert_string_equal(options->sysctl, "lb.txt");
	assert_true(options->kernel.known);
	assert_int_equal(options->kernel.major, 5);
	assert_int_equal(options->kernel.minor, 15);
	assert_true(options->no_host);
	assert_false(options->check || options->allow_lower || options->setsockopt);
	release(&outcome);

	run_well(&outcome, (const char *const[]){"--role=receiver", "--check", "--allow-lower",
			       "--setsockopt", "--sysroot", "/tmp", "--baseline", "-", NULL});
	assert_int_equal(options->role, ROLE_RECEIVER);
	assert_true(options->check && options->allow_lower && options->setsockopt);
	assert_string_equal(options->sysroot, "/tmp");
	assert_string_equal(options->baseline, "-");
	assert_false(options->no_host);
	release(&outcome);
}

static void test_operands(void **state)
{
	(void)state;
	struct outcome outcome;
	run_well(&outcome, (const char *const[]){"a.json", "-t", "3G", "-", "sender=b.txt", "--",
			       "-c", "--frob", NULL});
	static const char *const expected[] = {"a.json", "-", "sender=b.txt", "-c", "--frob"};
	assert_int_equal(outcome.options.operand_count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_string_equal(outcome.options.operands[i], expected[i]);
	assert_int_equal(outcome.options.given, GIVEN_TARGET);
	release(&outcome);

	run_well(&outcome, (const char *const[]){"advise", "advise", NULL});
	assert_int_equal(outcome.options.operand_count, 1);
	assert_string_equal(outcome.options.operands[0], "advise");
	release(&outcome);
}

static void test_active(void **state)
{
	(void)state;
	static const struct {
		const char *connections, *active;
		uint64_t expected;
	} rows[] = {
	    {"10000", "500", 500},
	    {"10000", "5%", 500},
	    {"10000", "5 %", 500},
	    {"10", "100%", 10},
	    {"10", "1%", 1},	     /* 0.1: rounded up */
	    {"1000", "12.34%", 124}, /* 123.4 */
	    {"10", "10", 10},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome outcome;
		run_well(&outcome, (const char *const[]){"--active", rows[i].active, "-c",
				       rows[i].connections, NULL});
		assert_true(outcome.options.active == rows[i].expected);
		assert_true(outcome.options.given & GIVEN_ACTIVE);
		release(&outcome);
	}
}

/* The word is quoted, what was expected is said, and so is the remedy: on one line. */
static const struct misuse_row {
	const char *words[6];
	const char *expected;
} misuses[] = {
    {{"--frob"}, "unknown option '--frob'; bdp --help lists them"},
    {{"advise", "--frob"}, "unknown option '--frob'; bdp advise --help lists them"},
    {{"--sysrot", "x"}, "unknown option '--sysrot'; did you mean --sysroot?"},
    {{"--base=x"}, "unknown option '--base=x'; did you mean --baseline?"},
    {{"--baselin", "x"}, "unknown option '--baselin'; did you mean --baseline?"},
    {{"--conn", "5"}, "unknown option '--conn'; did you mean --connections?"},
    {{"-x"}, "unknown option '-x'; bdp --help lists them"},
    {{"-B", "703M"}, "unknown option '-B'; did you mean -b, --bandwidth?"},
    {{"-\033"}, "unknown option '-\\x1b'"},
    {{"--\033[31m"}, "unknown option '--\\x1b[31m'"},
    {{"apply", "--confirm", "500ms"}, "time to confirm '500ms': expected a time from 1"},
    {{"apply", "--confirm", "1.5s"}, "expected whole seconds, such as 60s"},
    {{"apply", "--confirm"}, "'--confirm' needs TIME, such as --confirm 60s"},
    {{"sockets", "--interval", "50ms"}, "interval '50ms': expected a time from 100 ms"},
    {{"--rtt"}, "'--rtt' needs TIME, such as --rtt 52ms"},
    {{"-r"}, "'-r' needs TIME, such as -r 52ms"},
    {{"--no-host=1"}, "'--no-host=1': --no-host takes no argument; leave out '='"},
    {{"-r", "52"}, "round-trip time '52': a unit is required, such as 52ms"},
    {{"-r", "1e999s"}, "round-trip time '1e999s': the number is too large"},
    {{"-b", "10X"}, "bandwidth '10X': not a unit of rate; use bit/s with k, M, G"},
    {{"-b", "nan"}, "bandwidth 'nan': expected a rate above zero, such as 703M"},
    {{"-b", "-r", "52ms"}, "bandwidth '-r': expected a rate above zero, such as 703M"},
    {{"-w", "-1"}, "window '-1': a sign is not taken; write a plain number"},
    {{"-w", "1,024"}, "window '1,024': a comma before three digits is ambiguous"},
    {{"-l", "101"}, "loss '101': expected a percentage between 0 and 100"},
    {{"-c", "0"}, "connections '0': expected a whole number from 1 to 1000000000"},
    {{"--run", "0"}, "run '0': expected a whole number from 1 to"},
    {{"--memory", "16"}, "memory '16': expected at least 1 MiB, such as 16G"},
    {{"-o", "jsn"},
	"report form 'jsn': expected text, json, sysctl, sh, k8s or table; did you mean json?"},
    {{"-o", ""}, "report form '': expected text, json, sysctl, sh, k8s or table"},
    {{"--role", "client"}, "role 'client': expected receiver, sender or proxy"},
    {{"--color", "yes"}, "color 'yes': expected auto, always or never"},
    {{"--kernel", "new"}, "kernel 'new': expected a version, such as 6.1"},
    {{"--sysctl", ""}, "--sysctl '': expected FILE, such as lb-sysctl.txt"},
    {{"--active", "5%"},
	"--active needs --connections: it says how many of those are busy; add -c N"},
    {{"-c", "1000", "--active", "1001"},
	"active connections '1001': expected a whole number from 1 "
	"to 1000 in plain digits, or a percentage such as 5%"},
    {{"-c", "1000", "--active", "0%"}, "active connections '0%': expected more than none"},
    {{"-c", "1000", "--active", "101%"},
	"active connections '101%': expected a percentage between"},
    {{"--sysroot", "x", "--no-host"},
	"--sysroot and --no-host exclude each other: the tree is read"},
    {{"--sysctl", "y", "--sysroot", "x"}, "--sysroot and --sysctl exclude each other: both say"},
    {{"--interval", "5"}, "--interval needs --socket: it is how long a live connection"},
    {{"--socket", "example.org"}, "peer 'example.org': expected an address and perhaps a port"},
    {{"--socket", "192.0.2.1:0"}, "peer '192.0.2.1:0': expected an address and perhaps a port"},
    {{"--port", "443"},
	"'--port' is not an option of 'advise', but of 'sockets', 'record'; see bdp record --help"},
    {{"--all"}, "'--all' is not an option of 'advise', but of 'sockets', 'rollback'; see bdp "},
    {{"advize"}, "advize: no such file; did you mean the verb advise?"},
    {{"sokets", "--all"}, "sokets: no such file; did you mean the verb sockets?"},
    {{"--no-host", "compre"}, "compre: no such file; did you mean the verb compare?"},
    {{"--color", "never", "sweep"}, "sweep: no such file; a verb must come first: bdp sweep ..."},
    {{"help", "sokets"}, "help 'sokets': no verb; did you mean bdp help sockets"},
    {{"help", "tcp_rmem"}, "help 'tcp_rmem': no verb; bdp explain has the words of reports"},
    {{"help", "sweep", "apply"}, "help takes one verb, not 2"},
    {{"--no-host", "help"}, "help: no such file; a verb must come first: bdp help ..."},
    {{"so\033kets"}, "so\\x1bkets: no such file; did you mean the verb sockets?"},
    {{"sockets", "--port", "65536"}, "port '65536': expected a whole number from 1 to 65535"},
    {{"sockets", "--peer", "192.0.2.0/33"}, "peer '192.0.2.0/33': expected a length of 0 to 32"},
    {{"sockets", "--state", "estab,open"}, "state 'estab,open': expected connected, all, or"},
    {{"sockets", "--factor", "0.5"}, "factor '0.5': "},
    {{"sockets", "--watch", "0"}, "watch '0': "},
    {{"sockets", "--watch", "1", "--interval", "1"}, "--watch and --interval exclude each other"},
    {{"sockets", "--watch", "1", "--all"}, "--watch and --all exclude each other"},
    {{"sockets", "-o", "sh"}, "report form 'sh': expected text or json"},
    {{"sockets", "--min-held", "0"}, "held memory '0'"},
    {{"explain", "-r", "1ms"}, "unknown option '-r'"},
    /* 703e6 x 0.080 / 8 = 7030000 bytes = 6.70 MiB */
    {{"-b703M", "-r", "80ms", "-w", "4.36M"},
	"-b 703M, -r 80ms and -w 4.36M contradict each other: "
	"703 Mbit/s x 80.0 ms is 6.70 MiB; leave one out"},
};

static void test_misuse(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(misuses); i++) {
		struct outcome outcome;
		run(&outcome, misuses[i].words);
		print_message("expected: %s\n", misuses[i].expected);
		assert_int_equal(outcome.result, OPTIONS_MISUSE);
		assert_string_equal(outcome.out, "");
		assert_non_null(strstr(outcome.err, misuses[i].expected));
		assert_ptr_equal(strchr(outcome.err, '\n'), outcome.err + strlen(outcome.err) - 1);
		release(&outcome);
	}
}

static void test_sockets(void **state)
{
	(void)state;
	struct outcome outcome;
	run_well(&outcome,
	    (const char *const[]){"sockets", "--port", "443", "--peer", "2001:db8::/32", "--state",
		"established,CLOSE-WAIT", "--factor", "2.5", "-t", "1G", NULL});
	assert_int_equal(outcome.options.verb, VERB_SOCKETS);
	assert_int_equal(outcome.options.port, 443);
	assert_int_equal(outcome.options.peer.bits, 32);
	assert_memory_equal(outcome.options.peer.address, "\x20\x01\x0d\xb8\0\0", 6);
	assert_int_equal(
	    outcome.options.states, STATE_BIT(STATE_ESTAB) | STATE_BIT(STATE_CLOSE_WAIT));
	assert_int_equal(
	    outcome.options.given & (GIVEN_PEER | GIVEN_STATES), GIVEN_PEER | GIVEN_STATES);
	assert_true(fabs(outcome.options.factor - 2.5) < 1e-9);
	assert_true(fabs(outcome.options.target_bps - 1e9) < 1);
	release(&outcome);
	run_well(&outcome,
	    (const char *const[]){"--socket", "[2001:db8::1]:443", "--interval", "30", NULL});
	assert_int_equal(outcome.options.verb, VERB_ADVISE);
	assert_string_equal(outcome.options.socket.name, "[2001:db8::1]:443");
	assert_int_equal(outcome.options.socket.port, 443);
	assert_int_equal(outcome.options.socket.address.bits, 128);
	assert_int_equal(outcome.options.interval_s, 30);
	release(&outcome);
	run_well(&outcome, (const char *const[]){"sockets", "--interval", "500ms", NULL});
	assert_true(fabs(outcome.options.interval_s - 0.5) < 1e-12);
	release(&outcome);
	run_well(&outcome, (const char *const[]){"apply", "--confirm", "2min", NULL});
	assert_int_equal(outcome.options.confirm_seconds, 120);
	release(&outcome);
}

static void test_three_numbers_that_agree(void **state)
{
	(void)state;
	struct outcome outcome;
	/* 703e6 x 0.052 / 8 = 4569500, and 4.36 MiB is 4571791 */
	run_well(&outcome, (const char *const[]){"-b703M", "-r52ms", "-w4.36M", NULL});
	release(&outcome);
}

static bool is_common(const char *name)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (strcmp(option_rows[i].name, name) == 0 && option_rows[i].common)
			return true;
	}
	return false;
}

/* One of that name and form: --run takes an argument of some verbs, and none of compare. */
static bool is_option_alike(const struct option_row *row, unsigned verbs)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strcmp(option_rows[i].name, row->name) == 0 &&
		    !option_rows[i].argument == !row->argument &&
		    (option_rows[i].verbs & verbs) != 0)
			return true;
	return false;
}

static void test_help(void **state)
{
	(void)state;
	static const struct {
		const char *words[3];
		unsigned verbs; /* whose options are told; 0: the overview */
	} calls[] = {
	    {{"--help"}, 0},
	    {{"-h"}, 0},
	    {{"help"}, 0},
	    {{"--help", "--frob"}, 0},
	    {{"advise", "-h"}, IN(VERB_ADVISE)},
	    {{"sockets", "--help"}, IN(VERB_SOCKETS)},
	    {{"explain", "--help"}, IN(VERB_EXPLAIN)},
	    {{"help", "sweep"}, IN(VERB_SWEEP)},
	    {{"help", "--help"}, IN(VERB_HELP)},
	};
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct outcome outcome;
		run(&outcome, calls[i].words);
		assert_int_equal(outcome.result, OPTIONS_DONE);
		assert_string_equal(outcome.err, "");
		assert_true(strncmp(outcome.out, "Usage: bdp ", 11) == 0);
		for (const char *line = outcome.out; *line;) {
			size_t length = strcspn(line, "\n");
			assert_true(length <= 80);
			line += length + (line[length] == '\n');
		}
		for (size_t row = 0; row < OPTION_COUNT; row++) {
			char name[40];
			snprintf(name, sizeof name, "--%s%s", option_rows[row].name,
			    option_rows[row].argument == NULL ? "  "
			    : option_rows[row].optional	      ? "[="
							      : " ");
			print_message("%s\n", name);
			bool told = is_common(option_rows[row].name);
			if (calls[i].verbs)
				told = is_option_alike(&option_rows[row], calls[i].verbs);
			assert_true((strstr(outcome.out, name) != NULL) == told);
		}
		release(&outcome);
	}
}

static void test_version(void **state)
{
	(void)state;
	struct outcome outcome;
	run(&outcome, (const char *const[]){"-V", NULL});
	assert_int_equal(outcome.result, OPTIONS_DONE);
	/* the first line is the version alone, as scripts take it */
	assert_string_equal(strtok(outcome.out, "\n"), "bdp " BDP_VERSION);
	/* tests are linked dynamically, and with -pie */
	const char *build = strtok(NULL, "\n"), *facts = strtok(NULL, "\n");
	assert_true(strncmp(build, "build: dynamic-pie, ", 20) == 0);
	assert_string_equal(facts, "kernel facts: " KERNEL_FACTS);
	assert_null(strtok(NULL, "\n"));
	release(&outcome);
}

/* Rows that the compiler cannot check. */
static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		print_message("--%s\n", row->name);
		assert_non_null(row->name);
		assert_non_null(row->help);
		assert_true(row->verbs != 0);
		assert_true((row->argument == NULL) == (row->example == NULL));
		bool is_counted = row->kind == KIND_COUNT || row->kind == KIND_UNSIGNED ||
				  row->kind == KIND_NUMBER || row->kind == KIND_SECONDS ||
				  row->kind == KIND_WAIT || row->kind == KIND_STREAM_LIST;
		/* a size need not have a most */
		assert_true(is_counted == (row->max > 0) || row->kind == KIND_SIZE);
		assert_true(row->max >= row->min || row->max == 0);
		bool is_listed =
		    row->kind == KIND_FORM || row->kind == KIND_ROLE || row->kind == KIND_COLOR;
		assert_true(is_listed == (row->words != NULL));
		for (size_t other = 0; other < i; other++) {
			if (option_rows[other].verbs & row->verbs) {
				assert_string_not_equal(option_rows[other].name, row->name);
				assert_true(
				    row->letter == 0 || option_rows[other].letter != row->letter);
			}
		}
	}
}

/* What -o takes is what is printed: each word stands for the form of that name, and its verbs have it. */
static void test_forms_have_printers(void **state)
{
	static const char *const names[FORM_COUNT] = {
	    "text", "json", "sysctl", "sh", "k8s", "table"};

	(void)state;
	for (size_t id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[id];
		for (size_t i = 0; row->kind == KIND_FORM && row->words[i]; i++) {
			const struct form_row *form = &form_table[i];
			print_message("%zu %s\n", id, row->words[i]);
			assert_string_equal(row->words[i], names[i]);
			if (row->verbs & IN(VERB_ADVISE))
				assert_true(form->advise || i == FORM_TABLE);
			if (row->verbs & IN(VERB_SWEEP))
				assert_non_null(form->sweep);
			if (row->verbs & IN(VERB_COMPARE))
				assert_non_null(form->compare);
			if (row->verbs & IN(VERB_HOST))
				assert_non_null(form->host);
		}
	}
}

static void test_suggested_verbs(void **state)
{
	(void)state;
	assert_string_equal(options_suggest_verb("advice"), "advise");
	assert_string_equal(options_suggest_verb("advise"), "advise");
	assert_string_equal(options_suggest_verb("hlep"), "help");
	assert_string_equal(options_suggest_verb("version"), "--version");
	assert_null(options_suggest_verb("run.json"));
	assert_null(options_suggest_verb("./advise"));
	assert_null(options_suggest_verb(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_given),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_words_and_flags),
	    cmocka_unit_test(test_sockets),
	    cmocka_unit_test(test_operands),
	    cmocka_unit_test(test_active),
	    cmocka_unit_test(test_misuse),
	    cmocka_unit_test(test_three_numbers_that_agree),
	    cmocka_unit_test(test_help),
	    cmocka_unit_test(test_version),
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_forms_have_printers),
	    cmocka_unit_test(test_suggested_verbs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
