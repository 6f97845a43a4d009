#include "evidence/drops.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "evidence/json_paste.h"
#include "evidence/scan.h"

const struct drop_family_row drop_family_table[DROP_FAMILY_COUNT] = {
    [DROP_RING] = {.what = "the receive ring was full",
	.remedy = "ethtool -g DEV   # then ethtool -G DEV rx N, up to the maximum shown"},
    [DROP_DISCARD] = {.what = "the network card discarded them",
	.remedy = "ethtool -g DEV   # then ethtool -G DEV rx N, up to the maximum shown"},
    [DROP_BACKLOG] = {.what = "the queue between the card and TCP was full (softnet)",
	.remedy =
	    "sysctl net.core.netdev_max_backlog   # set twice that; spread receive queues over CPUs"},
    [DROP_STACK] = {.what = "they were dropped after they had arrived",
	.remedy = "ethtool -S DEV   # tells why"},
    [DROP_DAMAGED] = {.what = "frames arrived damaged",
	.remedy = "ethtool DEV   # speed and duplex; then change the cable or the optic"},
    [DROP_SENT] = {.what = "they were dropped before they were sent",
	.remedy = "tc -s qdisc show dev DEV"},
};

/*
 * Words in the name of a receive counter, the first row that fits decides.  Names by driver: e1000e and
 * igb rx_missed_errors, rx_no_buffer_count; ixgbe rx_no_dma_resources; mlx5 rx_out_of_buffer,
 * rx_discards_phy; bnx2 rx_fw_discards; virtio_net rx_drops; the kernel's rx_fifo_errors and others of
 * Documentation/ABI/testing/sysfs-class-net-statistics.
 */
static const struct {
	const char *word;
	enum drop_family family;
} receive_words[] = {
    {"xdp", DROP_FAMILY_COUNT}, /* a program dropped them on purpose */
    {"missed", DROP_RING},
    {"no_buf", DROP_RING},
    {"nobuf", DROP_RING},
    {"no_dma", DROP_RING},
    {"out_of_buf", DROP_RING},
    {"fifo", DROP_RING},
    {"overrun", DROP_RING},
    {"over_err", DROP_RING},
    {"discard", DROP_DISCARD},
    {"crc", DROP_DAMAGED},
    {"frame_err", DROP_DAMAGED},
    {"drop", DROP_STACK},
};

static enum drop_family family_of(const char *name)
{
	if (strcmp(name, "softnet_dropped") == 0)
		return DROP_BACKLOG;
	if (strncmp(name, "tx", 2) == 0)
		return strcmp(name, "tx_dropped") == 0 || strcmp(name, DROPS_OF_QDISC) == 0
			   ? DROP_SENT
			   : DROP_FAMILY_COUNT;
	if (strstr(name, "rx") == NULL)
		return DROP_FAMILY_COUNT;
	if (strcmp(name, "rx_frame") == 0)
		return DROP_DAMAGED;
	for (size_t i = 0; i < sizeof(receive_words) / sizeof(receive_words[0]); i++)
		if (strstr(name, receive_words[i].word) != NULL)
			return receive_words[i].family;
	return DROP_FAMILY_COUNT;
}

/* "rx_queue_12_drops" and "[3]: rx_discards" without the queue's number. */
static void name_copy(char *to, size_t size, const char *name)
{
	size_t used = 0;

	for (; *name != '\0' && used + 1 < size; name++) {
		if (*name >= '0' && *name <= '9')
			continue;
		if (used > 0 && to[used - 1] == '_' && *name == '_')
			continue;
		to[used++] = *name;
	}
	to[used] = '\0';
	scan_printable(to);
}

static struct drop_counter *counter_get(struct drops *drops, const char *dev, const char *name)
{
	for (unsigned i = 0; i < drops->count; i++) {
		struct drop_counter *counter = &drops->counters[i];
		if (strcmp(counter->name, name) == 0 && strcmp(counter->dev, dev) == 0)
			return counter;
	}
	if (drops->count == DROP_COUNTERS_MAX)
		return NULL;
	struct drop_counter *counter = &drops->counters[drops->count++];
	*counter = (struct drop_counter){.family = DROP_FAMILY_COUNT};
	strlcpy(counter->dev, dev, sizeof(counter->dev));
	strlcpy(counter->name, name, sizeof(counter->name));
	return counter;
}

void drops_add(struct drops *drops, const char *dev, const char *name, uint64_t value)
{
	char plain[sizeof(drops->counters[0].name)], device[sizeof(drops->counters[0].dev)];
	enum drop_family family = family_of(name);

	if (family == DROP_FAMILY_COUNT || drops->blocks == 0)
		return;
	name_copy(plain, sizeof(plain), name);
	strlcpy(device, dev, sizeof(device));
	scan_printable(device);
	struct drop_counter *counter = counter_get(drops, device, plain);
	if (counter == NULL)
		return;
	counter->family = family;
	if (counter->block != drops->blocks) {
		counter->block = drops->blocks;
		counter->readings++;
		counter->last = 0;
	}
	/* queues of one reading add up; a sum beyond the range is damage */
	counter->last = value > UINT64_MAX - counter->last ? UINT64_MAX : counter->last + value;
	if (counter->readings == 1)
		counter->first = counter->last;
}

/* ---- the forms -------------------------------------------------------------------------------- */

/* Where the lines are: which interface, and what columns are announced. */
struct reader {
	struct drops *drops;
	unsigned before; /* readings that were there */
	char dev[16];
	char columns[256]; /* of ip -s link: the words of its line of names */
	const char *side;  /* "rx" or "tx", whose columns they are; NULL when there are none */
	bool in_softnet, in_ethtool;
	uint64_t softnet_cpus; /* lines of the present reading of softnet_stat */
};

/* Up to a colon, a blank or an at sign ("eth0@if5"). */
static void dev_set(struct reader *reader, const char *at)
{
	size_t length = strcspn(at, ":@ \t,");

	strlcpy(reader->dev, at, length < sizeof(reader->dev) ? length + 1 : sizeof(reader->dev));
}

/* Lines whose interface the paste has lost are a reading all the same. */
static void reading_begin(struct reader *reader)
{
	if (reader->drops->blocks == reader->before)
		reader->drops->blocks++;
}

/* A command whose output follows: "$ ethtool -S eth0", "cat /proc/net/softnet_stat". */
static bool command_line(struct reader *reader, const char *line)
{
	const char *at = strstr(line, "ethtool -S ");

	if (at != NULL) {
		dev_set(reader, scan_blanks(at + strlen("ethtool -S ")));
		return true;
	}
	if (strstr(line, "softnet_stat") == NULL)
		return false;
	reader->in_softnet = false;
	return true;
}

/* "2: eth0: <BROADCAST,...> mtu 1500 ...", "eth0: flags=4163<UP,...>  mtu 1500" of ifconfig. */
static bool link_line(struct reader *reader, const char *line)
{
	const char *at = line;
	uint64_t index;
	bool numbered = scan_uint(&at, &index) && scan_prefix(&at, ": ");

	if (!numbered)
		at = line;
	if (strstr(at, numbered ? ": <" : ": flags=") == NULL || *at == ' ')
		return false;
	dev_set(reader, at);
	reader->drops->blocks++;
	reader->side = NULL;
	return true;
}

/* "    RX:  bytes packets errors dropped  missed   mcast", "    RX errors:   length    crc   frame". */
static bool columns_line(struct reader *reader, const char *line)
{
	const char *at = scan_blanks(line);
	bool receives = strncmp(at, "RX", 2) == 0;

	if (at == line || (!receives && strncmp(at, "TX", 2) != 0))
		return false;
	at += 2;
	scan_prefix(&at, " errors");
	if (!scan_prefix(&at, ":"))
		return false;
	reader->side = receives ? "rx" : "tx";
	strlcpy(reader->columns, at, sizeof(reader->columns));
	return true;
}

/* The numbers below a line of names. */
static bool values_line(struct reader *reader, const char *line)
{
	const char *at = scan_blanks(line), *names = reader->columns;
	uint64_t value;

	if (reader->side == NULL)
		return false;
	const char *side = reader->side;
	reader->side = NULL;
	reading_begin(reader);
	for (char word[24], name[32]; scan_uint(&at, &value); at = scan_blanks(at)) {
		if (scan_word(&names, word, sizeof(word)) == 0)
			break;
		strlcpy(name, side, sizeof(name));
		strlcat(name, "_", sizeof(name));
		strlcat(name, word, sizeof(name));
		drops_add(reader->drops, reader->dev, name, value);
	}
	return true;
}

/* ifconfig: "        RX errors 0  dropped 0  overruns 0  frame 0". */
static bool ifconfig_line(struct reader *reader, const char *line)
{
	const char *at = scan_blanks(line);
	bool receives = scan_prefix(&at, "RX errors ");
	char word[24], name[32];
	uint64_t value;

	if (!receives && !scan_prefix(&at, "TX errors "))
		return false;
	scan_uint(&at, &value);
	reading_begin(reader);
	while (scan_word(&at, word, sizeof(word)) > 0) {
		at = scan_blanks(at);
		if (!scan_uint(&at, &value))
			break;
		strlcpy(name, receives ? "rx_" : "tx_", sizeof(name));
		strlcat(name, word, sizeof(name));
		drops_add(reader->drops, reader->dev, name, value);
	}
	return true;
}

/* /proc/net/dev: "  eth0: 137205198    2935    0    0    0 ...": bytes, packets, errs, drop, fifo, frame;
 * eight of them received, then the same sent. */
static bool proc_line(struct reader *reader, const char *line)
{
	static const struct {
		unsigned at;
		const char *name;
	} columns[] = {{3, "rx_dropped"}, {4, "rx_fifo"}, {11, "tx_dropped"}};
	const char *at = scan_blanks(line);
	uint64_t values[16];

	size_t length = strcspn(at, ": \t");
	if (length == 0 || at[length] != ':' || length >= sizeof(reader->dev))
		return false;
	const char *number = at + length + 1;
	for (unsigned i = 0; i < 16; i++) {
		number = scan_blanks(number);
		if (!scan_uint(&number, &values[i]))
			return false;
	}
	dev_set(reader, at);
	reader->drops->blocks++;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		drops_add(reader->drops, reader->dev, columns[i].name, values[columns[i].at]);
	return true;
}

/* "     rx_missed_errors: 4954" below "NIC statistics:", and of a grep without that. */
static bool ethtool_line(struct reader *reader, const char *line)
{
	char name[48];
	uint64_t value;

	if (strncmp(scan_blanks(line), "NIC statistics", strlen("NIC statistics")) == 0) {
		reader->drops->blocks++;
		reader->in_ethtool = true;
		return true;
	}
	const char *at = scan_blanks(line), *colon = strrchr(at, ':');
	if (colon == NULL || colon == at || (size_t)(colon - at) >= sizeof(name))
		return false;
	strlcpy(name, at, (size_t)(colon - at) + 1);
	const char *number = scan_blanks(colon + 1);
	if (!scan_uint(&number, &value) || *scan_blanks(number) != '\0' ||
	    family_of(name) == DROP_FAMILY_COUNT)
		return false;
	if (!reader->in_ethtool)
		reader->drops->blocks++;
	reader->in_ethtool = true;
	drops_add(reader->drops, reader->dev, name, value);
	return true;
}

/* Eight hexadecimal digits; false for anything else. */
static bool hex_take(const char **at, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8; i++) {
		const char *digit = (*at)[i] != '\0' ? strchr(digits, (*at)[i]) : NULL;
		if (digit == NULL)
			return false;
		sum = sum * 16 + (uint64_t)(digit - digits);
	}
	*at += 8;
	*value = sum;
	return true;
}

/*
 * /proc/net/softnet_stat, a line for each CPU: processed, dropped, time_squeeze, ...; since Linux 5.14
 * the 13th column is the CPU's number (net/core/net-procfs.c, softnet_seq_show).
 */
static bool softnet_line(struct reader *reader, const char *line)
{
	const char *at = scan_blanks(line);
	uint64_t values[16];
	unsigned count = 0;

	while (count < 16 && hex_take(&at, &values[count])) {
		count++;
		if (*at != ' ')
			break;
		at = scan_blanks(at);
	}
	if (count < 9 || *at != '\0')
		return false;
	bool again = count >= 13 && values[12] < reader->softnet_cpus;
	if (!reader->in_softnet || again)
		reader->drops->blocks++;
	reader->in_softnet = true;
	reader->softnet_cpus = count >= 13 ? values[12] + 1 : 0;
	drops_add(reader->drops, "", "softnet_dropped", values[1]);
	return true;
}

static bool (*const line_readers[])(struct reader *reader, const char *line) = {
    command_line,
    softnet_line,
    link_line,
    ifconfig_line,
    columns_line,
    values_line,
    proc_line,
    ethtool_line,
};

static void line_take(struct reader *reader, const char *line)
{
	for (size_t i = 0; i < sizeof(line_readers) / sizeof(line_readers[0]); i++)
		if (line_readers[i](reader, line)) {
			if (line_readers[i] != softnet_line)
				reader->in_softnet = false;
			return;
		}
	reader->in_softnet = false;
	/* a line that ends a listing of ethtool, such as a prompt */
	if (scan_blanks(line) == line)
		reader->in_ethtool = false;
}

/* ip -j -s link: [{"ifname":"eth0","stats64":{"rx":{"dropped":0,...},"tx":{...}}}]. */
static void json_take(struct drops *drops, struct source *source)
{
	struct json *json = json_open(source, JSON_MANY_DOCUMENTS);
	char dev[16] = "", key[24] = "", name[32];
	const char *side = NULL;

	for (enum json_token token; (token = json_next(json)) > JSON_END;) {
		if (token == JSON_KEY) {
			strlcpy(key, json_text(json, NULL), sizeof(key));
		} else if (token == JSON_STRING && strcmp(key, "ifname") == 0) {
			strlcpy(dev, json_text(json, NULL), sizeof(dev));
			drops->blocks++;
			side = NULL;
		} else if (token == JSON_BEGIN_OBJECT) {
			side = strcmp(key, "rx") == 0 ? "rx" : strcmp(key, "tx") == 0 ? "tx" : NULL;
		} else if (token == JSON_END_OBJECT) {
			side = NULL;
		} else if (token == JSON_NUMBER && side != NULL) {
			double value = json_number(json);
			strlcpy(name, side, sizeof(name));
			strlcat(name, "_", sizeof(name));
			strlcat(name, key, sizeof(name));
			if (value >= 0 && value < 0x1p63)
				drops_add(drops, dev, name, (uint64_t)value);
		}
	}
	json_close(json);
}

bool drops_read(struct drops *drops, struct source *source, const char **why)
{
	struct reader reader = {.drops = drops, .before = drops->blocks};
	char line[1024];
	bool cut;
	int got = 0;

	errno = 0;
	bool json = json_paste_next(source, "\"ifname\"");
	if (json)
		json_take(drops, source);
	while (!json && (got = source_line(source, line, sizeof(line), &cut)) > 0)
		if (!cut)
			line_take(&reader, line);
	while (json && json_paste_next(source, "\"ifname\""))
		json_take(drops, source);
	if (got < 0) {
		*why = strerror(errno);
		return false;
	}
	errno = 0;
	*why = "no counter of dropped packets in it; take it with ip -s link or ethtool -S DEV";
	for (unsigned i = 0; i < drops->count; i++)
		if (drops->counters[i].block > reader.before)
			return true;
	return false;
}

/* ---- what they say ---------------------------------------------------------------------------- */

static uint64_t growth(const struct drop_counter *counter)
{
	return counter->readings > 1 && counter->last > counter->first
		   ? counter->last - counter->first
		   : 0;
}

const struct drop_counter *drops_worst(const struct drops *drops, bool damaged)
{
	const struct drop_counter *worst = NULL;

	for (unsigned i = 0; i < drops->count; i++) {
		const struct drop_counter *counter = &drops->counters[i];
		if ((counter->family == DROP_DAMAGED) != damaged || growth(counter) == 0)
			continue;
		if (worst == NULL || growth(counter) > growth(worst))
			worst = counter;
	}
	return worst;
}

bool drops_have_two(const struct drops *drops)
{
	for (unsigned i = 0; i < drops->count; i++)
		if (drops->counters[i].readings > 1)
			return true;
	return false;
}

const struct drop_counter *drops_largest(const struct drops *drops)
{
	const struct drop_counter *largest = NULL;

	for (unsigned i = 0; i < drops->count; i++) {
		const struct drop_counter *counter = &drops->counters[i];
		/* a queue of the sender drops as a matter of course */
		if (counter->readings == 1 && counter->family != DROP_SENT && counter->last > 0 &&
		    (largest == NULL || counter->last > largest->last))
			largest = counter;
	}
	return largest;
}
