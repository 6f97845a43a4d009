/*
 * A wide-area path on one machine: joins two network namespaces through a pair of TUN devices and
 * holds what passes for a one-way delay, through a bottleneck with a drop-tail queue, a policer and
 * random loss, each per direction.  TCP super-packets (GSO) stay whole where they can, so that
 * several Gbit/s pass on two cores; whatever is decided by bytes is decided per segment.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000.0

/* The largest IP packet behind its virtio header (drivers/net/tun.c: gso_max_size is 65536). */
#define PACKET_MAX (sizeof(struct virtio_net_hdr) + 65536)
#define RING_BYTES_DEFAULT ((size_t)768 << 20)
#define RING_BYTES_START ((size_t)4 << 20)

/* Segments of one super-packet that leave a bottleneck further apart than this travel apart. */
#define RUN_SPAN_NS 250000

/* Packets moved before looking at the other direction. */
#define BATCH 32

enum { FORWARD, REVERSE, DIRECTIONS };

struct shape {
	double delay_s, jitter_s;
	double rate_bps;    /* of the bottleneck; 0: none */
	double queue_bytes; /* before the bottleneck */
	double police_bps;  /* of the token bucket; 0: none */
	double burst_bytes; /* its depth */
	double
	    depth_bytes; /* what may pass the bottleneck at once after a pause; 0: a plain link */
	double loss;	 /* probability for a segment */
	double loss_run; /* segments lost one after the other, on average; 0 or 1: each by itself */
	double mtu_bytes; /* larger IP packets vanish; 0: none do */
};

struct counters {
	uint64_t packets, bytes; /* came in: segments, and their bytes from the IP header on */
	uint64_t delivered;
	uint64_t dropped_loss, dropped_policer, dropped_queue, dropped_mtu, dropped_dark;
	uint64_t dropped_overflow, dropped_device; /* the laboratory's own failures */
	int64_t late_max_ns;			   /* behind the time a packet was due */
	double queue_max_bytes;
};

/* Records lie whole in the ring, one after the other; used_end is where the tail turns round. */
struct record {
	int64_t due_ns;
	uint32_t length;
	uint32_t segments;
	unsigned char packet[];
};

struct ring {
	unsigned char *bytes;
	size_t size;
	size_t limit; /* of what is used: the less memory goes round, the more stays in cache */
	size_t head, tail, used_end, count;
};

struct direction {
	int in, out;
	struct shape shape;
	struct ring ring;
	struct counters counters;
	int64_t free_at_ns; /* when the bottleneck has sent what it holds */
	int64_t last_due_ns;
	int64_t tokens_at_ns;
	double tokens;
	bool losing; /* within a run of losses */
	uint64_t random;
};

/* What must be known of a TCP super-packet to cut it. */
struct super {
	size_t headers, transport; /* bytes before the payload; where TCP begins */
	size_t payload, mss, segments;
};

static volatile sig_atomic_t stop, report, dark;

static void on_signal(int signo)
{
	if (signo == SIGUSR1)
		report = 1;
	else if (signo == SIGUSR2)
		dark = !dark;
	else
		stop = 1;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* xorshift64*: the same seed loses the same packets. */
static double random_unit(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (double)((x * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

/* ---- ring --------------------------------------------------------------------------------- */

static void ring_open(struct ring *ring, size_t size)
{
	ring->bytes = mmap(
	    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring->bytes == MAP_FAILED)
		err(1, "ring of %zu bytes", size);
	/* Without huge pages the first pass through the ring is spent in page faults. */
	madvise(ring->bytes, size, MADV_HUGEPAGE);
	ring->size = size;
	ring->limit = size < RING_BYTES_START ? size : RING_BYTES_START;
}

static size_t record_size(size_t length)
{
	return (sizeof(struct record) + length + 15) & ~(size_t)15;
}

/* Room for one record of the largest size, or NULL. */
static struct record *ring_reserve(struct ring *ring)
{
	size_t need = record_size(PACKET_MAX);

	if (ring->count == 0)
		ring->head = ring->tail = 0;
	if (ring->head >= ring->tail) {
		if (ring->limit - ring->head <= need && ring->head - ring->tail > ring->limit / 4)
			ring->limit = ring->size / 2 < ring->limit ? ring->size : 2 * ring->limit;
		if (ring->limit - ring->head > need)
			return (struct record *)(void *)(ring->bytes + ring->head);
		if (ring->tail <= need)
			return NULL;
		ring->used_end = ring->head;
		ring->head = 0;
	}
	if (ring->tail - ring->head <= need)
		return NULL;
	return (struct record *)(void *)(ring->bytes + ring->head);
}

static void ring_commit(struct ring *ring, const struct record *record)
{
	ring->head += record_size(record->length);
	ring->count++;
}

static struct record *ring_first(const struct ring *ring)
{
	return ring->count == 0 ? NULL : (struct record *)(void *)(ring->bytes + ring->tail);
}

static void ring_drop_first(struct ring *ring)
{
	ring->tail += record_size(ring_first(ring)->length);
	ring->count--;
	if (ring->head < ring->tail && ring->tail == ring->used_end)
		ring->tail = 0;
}

/* ---- headers ------------------------------------------------------------------------------ */

static unsigned get16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void put16(unsigned char *p, unsigned value)
{
	p[0] = (unsigned char)(value >> 8);
	p[1] = (unsigned char)value;
}

static void put32(unsigned char *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value & 0xffff);
}

static unsigned fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void ipv4_checksum(unsigned char *ip)
{
	uint32_t sum = 0;
	size_t length = (size_t)(ip[0] & 15) * 4;

	put16(ip + 10, 0);
	for (size_t i = 0; i < length; i += 2)
		sum += get16(ip + i);
	put16(ip + 10, ~fold(sum) & 0xffff);
}

/* False for whatever is not a well-formed TCP super-packet of more than one segment. */
static bool super_parse(struct super *super, const unsigned char *packet, size_t length)
{
	struct virtio_net_hdr vnet;
	size_t size;

	memcpy(&vnet, packet, sizeof(vnet));
	if (vnet.gso_type == VIRTIO_NET_HDR_GSO_NONE || vnet.gso_size == 0)
		return false;
	size = length - sizeof(vnet);
	super->transport = vnet.csum_start;
	if (super->transport < 20 || super->transport + 20 > size)
		return false;
	super->headers =
	    super->transport + (size_t)(packet[sizeof(vnet) + super->transport + 12] >> 4) * 4;
	if (super->headers < super->transport + 20 || super->headers >= size)
		return false;
	super->mss = vnet.gso_size;
	super->payload = size - super->headers;
	super->segments = (super->payload + super->mss - 1) / super->mss;
	return super->segments > 1;
}

/* Writes segments [first, first + count) of a super-packet as a packet of their own. */
static size_t super_cut(const struct super *super, const unsigned char *from, size_t first,
    size_t count, unsigned char *to)
{
	struct virtio_net_hdr vnet;
	size_t offset = first * super->mss;
	bool last = first + count == super->segments;
	size_t payload = last ? super->payload - offset : count * super->mss;
	unsigned char *ip = to + sizeof(vnet);
	unsigned char *tcp = ip + super->transport;
	const unsigned char *ip_from = from + sizeof(vnet);
	const unsigned char *tcp_from = ip_from + super->transport;
	uint32_t sequence = (uint32_t)get16(tcp_from + 4) << 16 | get16(tcp_from + 6);

	memcpy(&vnet, from, sizeof(vnet));
	if (count == 1) {
		vnet.gso_type = VIRTIO_NET_HDR_GSO_NONE;
		vnet.gso_size = 0;
	}
	memcpy(to, &vnet, sizeof(vnet));
	memcpy(ip, ip_from, super->headers);
	memcpy(ip + super->headers, ip_from + super->headers + offset, payload);
	put32(tcp + 4, sequence + (uint32_t)offset);
	if (!last)
		tcp[13] &= (unsigned char)~0x09; /* FIN and PSH belong to the last segment, */
	if (first != 0)
		tcp[13] &= 0x7f; /* CWR to the first */
	/* The checksum field holds the sum of the pseudo-header, which has the length in it. */
	put16(tcp + 16, fold(get16(tcp + 16) + (~(uint32_t)(super->payload - payload) & 0xffff)));
	if (ip[0] >> 4 == 4) {
		put16(ip + 2, (unsigned)(super->headers + payload));
		put16(ip + 4, (get16(ip + 4) + (unsigned)first) & 0xffff);
		ipv4_checksum(ip);
	} else {
		put16(ip + 4, (unsigned)(super->headers + payload - 40));
	}
	return sizeof(vnet) + super->headers + payload;
}

/* ---- path --------------------------------------------------------------------------------- */

static bool policer_passes(struct direction *d, int64_t now, size_t bytes)
{
	const struct shape *shape = &d->shape;

	d->tokens += (double)(now - d->tokens_at_ns) * shape->police_bps / 8 / NS_PER_S;
	if (d->tokens > shape->burst_bytes)
		d->tokens = shape->burst_bytes;
	d->tokens_at_ns = now;
	if (d->tokens < (double)bytes)
		return false;
	d->tokens -= (double)bytes;
	return true;
}

/* Gilbert's two states: in the long run as many are lost as without runs. */
static bool loss_takes(struct direction *d)
{
	double run = d->shape.loss_run > 1 ? d->shape.loss_run : 1;
	bool lost = d->losing || random_unit(&d->random) < d->shape.loss / run;

	d->losing = lost && run > 1 && random_unit(&d->random) >= 1 / run;
	return lost;
}

/*
 * When a segment that came at now leaves the bottleneck, or -1 if its queue is full.  A token bucket
 * is a link whose time to be free may lie in the past, by what its depth takes to send.
 */
static int64_t queue_pass(struct direction *d, int64_t now, size_t bytes)
{
	const struct shape *shape = &d->shape;
	struct counters *counters = &d->counters;
	int64_t saved = (int64_t)(shape->depth_bytes * 8 / shape->rate_bps * NS_PER_S);
	double queued;

	if (d->free_at_ns < now - saved)
		d->free_at_ns = now - saved;
	queued = d->free_at_ns < now
		     ? 0
		     : (double)(d->free_at_ns - now) * shape->rate_bps / 8 / NS_PER_S;
	if (queued + (double)bytes > shape->queue_bytes) {
		counters->dropped_queue++;
		return -1;
	}
	if (queued + (double)bytes > counters->queue_max_bytes)
		counters->queue_max_bytes = queued + (double)bytes;
	d->free_at_ns += (int64_t)((double)bytes * 8 / shape->rate_bps * NS_PER_S);
	return d->free_at_ns < now ? now : d->free_at_ns;
}

/* When a segment that came at now has left the bottleneck, or -1 if it is dropped. */
static int64_t path_pass(struct direction *d, int64_t now, size_t bytes)
{
	const struct shape *shape = &d->shape;
	struct counters *counters = &d->counters;

	counters->packets++;
	counters->bytes += bytes;
	if (dark) {
		counters->dropped_dark++;
		return -1;
	}
	if (shape->mtu_bytes > 0 && (double)bytes > shape->mtu_bytes) {
		counters->dropped_mtu++;
		return -1;
	}
	if (shape->loss > 0 && loss_takes(d)) {
		counters->dropped_loss++;
		return -1;
	}
	if (shape->police_bps > 0 && !policer_passes(d, now, bytes)) {
		counters->dropped_policer++;
		return -1;
	}
	return shape->rate_bps > 0 ? queue_pass(d, now, bytes) : now;
}

/* Jitter stretches the delay by up to its amount either way; packets never overtake. */
static int64_t path_due(struct direction *d, int64_t left_ns)
{
	double delay = d->shape.delay_s;
	int64_t due;

	if (d->shape.jitter_s > 0)
		delay += d->shape.jitter_s * (2 * random_unit(&d->random) - 1);
	due = left_ns + (delay > 0 ? (int64_t)(delay * NS_PER_S) : 0);
	if (due < d->last_due_ns)
		due = d->last_due_ns;
	d->last_due_ns = due;
	return due;
}

/* Puts each run of segments that survived, and that leave close together, into the ring. */
static void super_emit(struct direction *d, const struct super *super, const unsigned char *packet,
    const int64_t *left_ns)
{
	size_t first = 0, end;

	for (; first < super->segments; first = end) {
		struct record *record;

		end = first + 1;
		if (left_ns[first] < 0)
			continue;
		while (end < super->segments && left_ns[end] >= 0 &&
		       left_ns[end] - left_ns[first] <= RUN_SPAN_NS)
			end++;
		record = ring_reserve(&d->ring);
		if (record == NULL) {
			d->counters.dropped_overflow += end - first;
			continue;
		}
		record->length =
		    (uint32_t)super_cut(super, packet, first, end - first, record->packet);
		record->segments = (uint32_t)(end - first);
		record->due_ns = path_due(d, left_ns[end - 1]);
		ring_commit(&d->ring, record);
	}
}

static void path_take_super(
    struct direction *d, struct record *record, const struct super *super, int64_t now)
{
	static int64_t left_ns[65536];
	static unsigned char whole[PACKET_MAX];
	bool intact = true;

	for (size_t i = 0; i < super->segments; i++) {
		size_t payload =
		    i + 1 < super->segments ? super->mss : super->payload - i * super->mss;

		left_ns[i] = path_pass(d, now, super->headers + payload);
		intact = intact && left_ns[i] >= 0 && left_ns[i] - left_ns[0] <= RUN_SPAN_NS;
	}
	if (intact) {
		record->segments = (uint32_t)super->segments;
		record->due_ns = path_due(d, left_ns[super->segments - 1]);
		ring_commit(&d->ring, record);
		return;
	}
	memcpy(whole, record->packet, record->length);
	super_emit(d, super, whole, left_ns);
}

/* Reads what waits at the entrance; false when nothing does or the ring is full. */
static bool path_take(struct direction *d)
{
	struct record *record;
	struct super super;
	int64_t now, left;
	ssize_t got;

	for (int i = 0; i < BATCH; i++) {
		record = ring_reserve(&d->ring);
		if (record == NULL)
			return false;
		got = read(d->in, record->packet, PACKET_MAX);
		if (got < (ssize_t)sizeof(struct virtio_net_hdr) + 20)
			return i > 0;
		record->length = (uint32_t)got;
		now = now_ns();
		if (super_parse(&super, record->packet, record->length)) {
			path_take_super(d, record, &super, now);
			continue;
		}
		left = path_pass(d, now, record->length - sizeof(struct virtio_net_hdr));
		if (left < 0)
			continue;
		record->segments = 1;
		record->due_ns = path_due(d, left);
		ring_commit(&d->ring, record);
	}
	return true;
}

/* Lets out what is due; true when it did not get through all of it. */
static bool path_deliver(struct direction *d)
{
	struct record *record;
	struct counters *counters = &d->counters;
	int64_t now = now_ns();

	for (int i = 0; i < BATCH; i++) {
		record = ring_first(&d->ring);
		if (record == NULL || record->due_ns > now)
			return false;
		if (write(d->out, record->packet, record->length) < 0)
			counters->dropped_device += record->segments;
		else
			counters->delivered += record->segments;
		if (now - record->due_ns > counters->late_max_ns)
			counters->late_max_ns = now - record->due_ns;
		ring_drop_first(&d->ring);
	}
	return true;
}

/* ---- running ------------------------------------------------------------------------------ */

static void print_counters(const struct direction *directions)
{
	static const char *const names[DIRECTIONS] = {
	    [FORWARD] = "forward",
	    [REVERSE] = "reverse",
	};

	printf("{");
	for (int i = 0; i < DIRECTIONS; i++) {
		const struct counters *c = &directions[i].counters;

		printf("%s\"%s\":{\"packets\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"delivered\":%" PRIu64 ",\"dropped_loss\":%" PRIu64
		       ",\"dropped_policer\":%" PRIu64 ",\"dropped_queue\":%" PRIu64
		       ",\"dropped_overflow\":%" PRIu64 ",\"dropped_device\":%" PRIu64
		       ",\"dropped_mtu\":%" PRIu64 ",\"dropped_dark\":%" PRIu64
		       ",\"queue_max_bytes\":%.0f,\"late_max_us\":%.0f}",
		    i == 0 ? "" : ",", names[i], c->packets, c->bytes, c->delivered,
		    c->dropped_loss, c->dropped_policer, c->dropped_queue, c->dropped_overflow,
		    c->dropped_device, c->dropped_mtu, c->dropped_dark, c->queue_max_bytes,
		    (double)c->late_max_ns / 1000);
	}
	printf("}\n");
	fflush(stdout);
}

static void wait_for_work(const struct direction *directions, const sigset_t *during)
{
	struct pollfd fds[DIRECTIONS];
	struct timespec timeout = {0, 0};
	int64_t due = INT64_MAX, now;

	for (int i = 0; i < DIRECTIONS; i++) {
		const struct record *first = ring_first(&directions[i].ring);

		if (first != NULL && first->due_ns < due)
			due = first->due_ns;
		fds[i].fd = directions[i].in;
		fds[i].events = POLLIN;
	}
	now = now_ns();
	if (due > now && due != INT64_MAX) {
		timeout.tv_sec = (time_t)((due - now) / 1000000000);
		timeout.tv_nsec = (long)((due - now) % 1000000000);
	}
	ppoll(fds, DIRECTIONS, due == INT64_MAX ? NULL : &timeout, during);
}

static void run(struct direction *directions, const sigset_t *during)
{
	while (!stop) {
		bool busy = false;

		if (report) {
			report = 0;
			print_counters(directions);
		}
		for (int i = 0; i < DIRECTIONS; i++) {
			busy = path_deliver(&directions[i]) || busy;
			busy = path_take(&directions[i]) || busy;
		}
		/* Signals are only let in while waiting; when busy, look for them in passing. */
		if (busy) {
			struct timespec none = {0, 0};

			ppoll(NULL, 0, &none, during);
		} else {
			wait_for_work(directions, during);
		}
	}
}

/* ---- setting up --------------------------------------------------------------------------- */

/* Makes the device in the namespace, named as by `ip netns` or by a path. */
static int tun_open(const char *namespace, const char *device)
{
	struct ifreq ifr;
	char path[4096];
	int ns, tun;

	snprintf(
	    path, sizeof(path), "%s%s", strchr(namespace, '/') ? "" : "/run/netns/", namespace);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || setns(ns, CLONE_NEWNET) != 0)
		err(1, "namespace %s", path);
	close(ns);
	/* The device is made where the file was opened (drivers/net/tun.c: tun_chr_open). */
	tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun < 0)
		err(1, "/dev/net/tun");
	memset(&ifr, 0, sizeof(ifr));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	ifr.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
	if (ioctl(tun, TUNSETIFF, &ifr) != 0)
		err(1, "device %s in %s", device, namespace);
	if (ioctl(tun, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) != 0)
		err(1, "offloads of %s", device);
	return tun;
}

/* A number and its unit: K, M, G are decimal for rates and binary for bytes; us, ms, s. */
static double parse_number(const char *text, const char *what, double kilo)
{
	static const char prefixes[] = "KMG";
	char *end;
	double value = strtod(text, &end);
	const char *prefix = *end != '\0' && kilo != 0 ? strchr(prefixes, *end) : NULL;

	if (end == text || !(value >= 0) || value > 1e15)
		errx(2, "%s: '%s' is not a number", what, text);
	if (prefix != NULL) {
		for (const char *p = prefixes; p <= prefix; p++)
			value *= kilo;
		end++;
	} else if (kilo == 0 && strcmp(end, "us") == 0) {
		return value / 1e6;
	} else if (kilo == 0 && strcmp(end, "ms") == 0) {
		return value / 1e3;
	} else if (kilo == 0 && strcmp(end, "s") == 0) {
		return value;
	}
	if (*end != '\0')
		errx(2, "%s: '%s' has no known unit", what, text);
	return value;
}

static void shape_parse(struct shape *shape, char *text)
{
	enum { DELAY, JITTER, RATE, QUEUE, DEPTH, POLICE, BURST, LOSS, RUN, MTU };
	static char delay[] = "delay", jitter[] = "jitter", rate[] = "rate", queue[] = "queue",
		    depth[] = "depth", police[] = "police", burst[] = "burst", loss[] = "loss",
		    run[] = "run", mtu[] = "mtu";
	char *const keys[] = {
	    delay, jitter, rate, queue, depth, police, burst, loss, run, mtu, NULL};
	const struct {
		double *value;
		double kilo; /* 0: a time */
	} fields[] = {
	    [DELAY] = {&shape->delay_s, 0},
	    [JITTER] = {&shape->jitter_s, 0},
	    [RATE] = {&shape->rate_bps, 1000},
	    [QUEUE] = {&shape->queue_bytes, 1024},
	    [POLICE] = {&shape->police_bps, 1000},
	    [BURST] = {&shape->burst_bytes, 1024},
	    [LOSS] = {&shape->loss, 1000},
	    [DEPTH] = {&shape->depth_bytes, 1024},
	    [RUN] = {&shape->loss_run, 1000},
	    [MTU] = {&shape->mtu_bytes, 1024},
	};

	while (*text != '\0') {
		char *word = text, *value;
		int key = getsubopt(&text, keys, &value);

		if (key < 0 || value == NULL)
			errx(2,
			    "'%s' is not one of delay= jitter= rate= queue= depth= police= burst= loss= "
			    "run= mtu=",
			    word);
		*fields[key].value = parse_number(value, keys[key], fields[key].kilo);
	}
	if (shape->loss > 1)
		errx(2, "loss: a share of 1, not a percentage");
	if (shape->rate_bps > 0 && shape->queue_bytes <= 0)
		errx(2, "rate: needs queue=");
	if (shape->police_bps > 0 && shape->burst_bytes <= 0)
		errx(2, "police: needs burst=");
}

static void shapes_parse(struct direction *directions, int option, const char *text)
{
	for (int i = 0; i < DIRECTIONS; i++) {
		char *copy = strdup(text); /* getsubopt(3) writes into it */

		if (copy == NULL)
			err(1, NULL);
		if (option != (i == FORWARD ? 'r' : 'f'))
			shape_parse(&directions[i].shape, copy);
		free(copy);
	}
}

static _Noreturn void usage(void)
{
	fprintf(stderr,
	    "usage: wan [-k] [-d DEVICE] [-m RING_BYTES] [-s SEED] [-p SHAPE] [-f SHAPE] [-r SHAPE]\n"
	    "           NAMESPACE NAMESPACE\n"
	    "SHAPE: delay=26ms,jitter=1ms,rate=500M,queue=3M,police=500M,burst=256K,loss=0.01\n"
	    "       and depth=100K (rate= is a token bucket), run=20 (losses in runs), mtu=1300\n"
	    "       -p for both directions, -f from the first namespace to the second, -r back\n"
	    "  -k   end when the parent does; prints its counters on SIGUSR1 and at the end;\n"
	    "       SIGUSR2 makes the path dark, and light again\n");
	exit(2);
}

/*
 * Punctual delivery: no timer slack, and ahead of the programs that are measured.  Real-time
 * priority would starve them instead, and be throttled for it, 50 ms at a time.
 */
static void become_punctual(void)
{
	prctl(PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
	if (setpriority(PRIO_PROCESS, 0, -10) != 0)
		warn("priority");
}

static void catch_signals(sigset_t *during)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++) {
		sigaddset(&blocked, caught[i]);
		sigaction(caught[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, during);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigdelset(during, caught[i]);
}

static void direction_open(struct direction *d, size_t ring_bytes, uint64_t seed)
{
	ring_open(&d->ring, ring_bytes);
	d->tokens = d->shape.burst_bytes;
	d->tokens_at_ns = now_ns();
	d->random = seed;
	for (int i = 0; i < 8; i++)
		random_unit(&d->random); /* small seeds start alike */
}

int main(int argc, char **argv)
{
	static struct direction directions[DIRECTIONS];
	const char *device = "wan0";
	size_t ring_bytes = RING_BYTES_DEFAULT;
	uint64_t seed = 1;
	sigset_t during;
	int option, ends[2];

	while ((option = getopt(argc, argv, "kd:m:s:p:f:r:")) != -1) {
		if (option == 'k')
			prctl(PR_SET_PDEATHSIG, SIGTERM, 0L, 0L, 0L);
		else if (option == 'd')
			device = optarg;
		else if (option == 'm')
			ring_bytes = (size_t)parse_number(optarg, "ring", 1024);
		else if (option == 's')
			seed = (uint64_t)parse_number(optarg, "seed", 1000);
		else if (strchr("pfr", option) != NULL)
			shapes_parse(directions, option, optarg);
		else
			usage();
	}
	if (argc - optind != 2 || ring_bytes < 4 * record_size(PACKET_MAX))
		usage();
	catch_signals(&during);
	for (int i = 0; i < 2; i++)
		ends[i] = tun_open(argv[optind + i], device);
	for (int i = 0; i < DIRECTIONS; i++) {
		directions[i].in = ends[i];
		directions[i].out = ends[1 - i];
		direction_open(&directions[i], ring_bytes, 2 * seed + 1 + (uint64_t)i);
	}
	become_punctual();
	run(directions, &during);
	print_counters(directions);
	return 0;
}
