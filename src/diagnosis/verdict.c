#include "diagnosis/diagnosis.h"

#include <math.h>
#include <string.h>

#include "diagnosis/features.h"

/* What an exclusion weighs: one in a thousand, for numbers can be wrong. */
#define EXCLUDED 30
/* Shares from which on a cause is named, and how sure that is. */
#define SHARE_HIGH 0.95
#define SHARE_MEDIUM 0.75
#define SHARE_LOW 0.50
/* A cause that no feature shows by itself, without an RTT. */
#define SHARE_GUESSED 0.66
/* Named among those that remain open. */
#define SHARE_REMAINS 0.06
/* Without an RTT under load features lean on one another: of runs that were not used to fit, shares told best what
 * was right with their weights taken at this part (0.7 to 0.9 by the form; elsewhere 0.8 to 1.2). */
#define SHARPNESS_UNSEEN 0.75
/* A delay of the flow's own queue that is worth naming after it. */
#define QUEUE_RATIO 1.5
#define QUEUE_LEAST_US 3000

static double score(const struct features *features, enum factor factor)
{
	double sum = factor_prior[factor];

	for (int i = 0; i < FEATURE_COUNT; i++)
		if (features->items[i].present) {
			sum += features->items[i].grade * feature_table[i].weight[factor];
			if (feature_table[i].excludes & 1u << factor)
				sum -= EXCLUDED;
		}
	return sum;
}

/* Sums the weights of what is present and normalises: shares of all causes, sum 1.  A bottleneck's stands
 * at FACTOR_LINK, FACTOR_QUEUE is 0. */
static void shares_weigh(const struct features *features, double shares[FACTOR_COUNT])
{
	double most = -INFINITY, sum = 0;
	double sharpness = features->items[FEATURE_RTT_UNSEEN].present ? SHARPNESS_UNSEEN : 1;

	for (int f = 0; f < FACTOR_COUNT; f++) {
		shares[f] = f == FACTOR_QUEUE ? -INFINITY : score(features, (enum factor)f);
		most = fmax(most, shares[f]);
	}
	for (int f = 0; f < FACTOR_COUNT; f++)
		sum += shares[f] = pow(10, sharpness * (shares[f] - most) / 10);
	for (int f = 0; f < FACTOR_COUNT; f++)
		shares[f] /= sum;
}

/* A bottleneck is a queue or a link by the delay that stands before it. */
static bool is_queue(const struct features *features, const struct path *path)
{
	double base = path->idle.known ? path->idle.rtt_us : path->bin_rtt.min_us;

	if (features->items[FEATURE_QUEUE_STANDS].present ||
	    features->items[FEATURE_QUEUE_FILLS].present ||
	    features->items[FEATURE_BACKLOG].present)
		return true;
	return path->loaded.known && base > 0 && path->loaded.rtt_us > QUEUE_RATIO * base &&
	       path->loaded.rtt_us - base > QUEUE_LEAST_US;
}

static void order(struct limit *limit)
{
	bool taken[FACTOR_COUNT] = {false};

	for (;;) {
		int best = -1;
		for (int f = 0; f < FACTOR_COUNT; f++)
			if (!taken[f] && limit->shares[f] >= SHARE_REMAINS &&
			    (best < 0 || limit->shares[f] > limit->shares[best]))
				best = f;
		if (best < 0)
			break;
		taken[best] = true;
		if (best != FACTOR_UNKNOWN)
			limit->candidates[limit->candidate_count++] = (enum factor)best;
	}
}

/* What the features that are there say of a cause beyond their weight. */
struct standing {
	bool shown, proved, lowered;
};

static struct standing standing_of(const struct features *features, enum factor factor)
{
	unsigned bit = 1u << (factor == FACTOR_QUEUE ? FACTOR_LINK : factor);
	struct standing standing = {.shown = false};

	for (int i = 0; i < FEATURE_COUNT; i++)
		if (features->items[i].present) {
			standing.shown |= (feature_table[i].shows & bit) != 0;
			standing.proved |= (feature_table[i].proves & bit) != 0;
			standing.lowered |= (feature_table[i].lowers & bit) != 0;
		}
	return standing;
}

/* How sure a cause can be by the kind of evidence there is, whatever its share. */
static enum confidence most_confidence(const struct standing *standing)
{
	if (!standing->shown || standing->lowered)
		return CONFIDENCE_LOW;
	return standing->proved ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
}

static void name_cause(struct limit *limit, const struct features *features)
{
	enum factor first = FACTOR_UNKNOWN;

	for (int f = 0; f < FACTOR_COUNT; f++)
		if (limit->shares[f] > limit->shares[first])
			first = (enum factor)f;
	/* the sending program is the cause in either way */
	double share =
	    first == FACTOR_APPLICATION || first == FACTOR_APPLICATION_WINDOW
		? limit->shares[FACTOR_APPLICATION] + limit->shares[FACTOR_APPLICATION_WINDOW]
		: limit->shares[first];
	limit->confidence = share >= SHARE_HIGH	    ? CONFIDENCE_HIGH
			    : share >= SHARE_MEDIUM ? CONFIDENCE_MEDIUM
						    : CONFIDENCE_LOW;
	struct standing standing = standing_of(features, first);
	enum confidence most = most_confidence(&standing);
	if (limit->confidence > most)
		limit->confidence = most;
	bool guessed = !standing.shown && features->items[FEATURE_RTT_UNSEEN].present;
	if (first == FACTOR_UNKNOWN || share < (guessed ? SHARE_GUESSED : SHARE_LOW)) {
		limit->factor = FACTOR_UNKNOWN;
		limit->confidence = CONFIDENCE_LOW;
		order(limit);
		return;
	}
	limit->factor = first;
	limit->candidates[0] = first;
	limit->candidate_count = 1;
}

/* What a feature weighs for the cause named against the likeliest of the others. */
static double weight_of(const struct limit *limit, enum factor named, int feature)
{
	const signed char *weight = feature_table[feature].weight;
	double others = 0, sum = 0;
	enum factor own = named == FACTOR_QUEUE ? FACTOR_LINK : named;

	for (int f = 0; f < FACTOR_COUNT; f++) {
		if (f == (int)own || f == FACTOR_QUEUE)
			continue;
		double share = limit->shares[f] + 0.01;
		others += share * weight[f];
		sum += share;
	}
	return weight[own] - others / sum;
}

static void keep_evidence(struct limit *limit, const struct evidence_item *item)
{
	size_t at = limit->evidence_count;

	while (at > 0 && fabs(limit->evidence[at - 1].weight) < fabs(item->weight))
		at--;
	if (at >= LIMIT_EVIDENCE_MAX)
		return;
	if (limit->evidence_count < LIMIT_EVIDENCE_MAX)
		limit->evidence_count++;
	memmove(&limit->evidence[at + 1], &limit->evidence[at],
	    (limit->evidence_count - at - 1) * sizeof(*item));
	limit->evidence[at] = *item;
}

static void collect_evidence(struct limit *limit, const struct features *features)
{
	enum factor named = limit->factor != FACTOR_UNKNOWN ? limit->factor
			    : limit->candidate_count > 0    ? limit->candidates[0]
							    : FACTOR_UNKNOWN;

	for (int i = 0; i < FEATURE_COUNT; i++) {
		const struct feature_value *value = &features->items[i];
		if (!value->present)
			continue;
		struct evidence_item item = {.feature = i,
		    .value = value->value,
		    .reference = value->reference,
		    .weight = value->grade * weight_of(limit, named, i)};
		keep_evidence(limit, &item);
	}
}

static void set_where(struct limit *limit, const struct features *features)
{
	const struct feature_value *items = features->items;

	limit->where = factor_table[limit->factor].where;
	if (limit->factor == FACTOR_CPU && items[FEATURE_CPU_BUSY].present) {
		bool sender = items[FEATURE_CPU_BUSY].value >= 90;
		bool receiver = items[FEATURE_CPU_BUSY].reference >= 90;
		limit->where = sender && receiver ? WHERE_EITHER
			       : sender		  ? WHERE_SENDER
						  : WHERE_RECEIVER;
	}
	if (limit->factor == FACTOR_SOCKET_OPTION)
		limit->where = items[FEATURE_SNDBUF_FIXED].present   ? WHERE_SENDER
			       : items[FEATURE_RCVBUF_FIXED].present ? WHERE_RECEIVER
								     : WHERE_EITHER;
	if (limit->factor == FACTOR_WINDOW_SCALING_OFF && items[FEATURE_SCALING_OFF].present)
		limit->where = items[FEATURE_SCALING_OFF].value > 0 ? WHERE_RECEIVER : WHERE_SENDER;
}

/* What would part the two likeliest causes, once all that a run can show is known. */
static const enum measurement parts[FACTOR_COUNT] = {
    [FACTOR_UNKNOWN] = MEASURE_LONGER,
    [FACTOR_APPLICATION] = MEASURE_SENDER_SOCKET,
    [FACTOR_SOCKET_OPTION] = MEASURE_WITHOUT_BUFFER,
    [FACTOR_CPU] = MEASURE_CPU,
    [FACTOR_RECEIVE_WINDOW] = MEASURE_SENDER_SOCKET,
    [FACTOR_SEND_BUFFER] = MEASURE_SENDER_SOCKET,
    [FACTOR_WINDOW_SCALING_OFF] = MEASURE_SCALING,
    [FACTOR_RANDOM_LOSS] = MEASURE_LOSS,
    [FACTOR_POLICER] = MEASURE_RATE_STEPS,
    [FACTOR_QUEUE] = MEASURE_IDLE_RTT,
    [FACTOR_LINK] = MEASURE_STREAMS,
    [FACTOR_STALLED] = MEASURE_PATH_MTU,
    [FACTOR_RECEIVER_APPLICATION] = MEASURE_RECEIVER_SOCKET,
    [FACTOR_APPLICATION_WINDOW] = MEASURE_SENDER_SOCKET,
    [FACTOR_LOSS_RECOVERY] = MEASURE_LONGER,
};

static enum measurement choose_measurement(
    const struct limit *limit, const struct diagnosis_input *input)
{
	const struct path *path = input->path;
	const struct path_context *context = input->context;
	enum factor first = limit->candidate_count > 0 ? limit->candidates[0] : FACTOR_UNKNOWN;
	bool has_rtt = path->loaded.known && path->loaded.method != RTT_CWND;
	bool has_account = context && context->socket && (context->socket->has & SOCKET_BUSY);

	if (limit->confidence == CONFIDENCE_HIGH && limit->factor != FACTOR_UNKNOWN)
		return MEASURE_NOTHING;
	if (input->run && !input->run->local_sends && !has_rtt)
		return MEASURE_AT_SENDER;
	if (input->run && !has_rtt && first != FACTOR_STALLED && first != FACTOR_SOCKET_OPTION)
		return MEASURE_WITH_JSON;
	if (parts[first] == MEASURE_SENDER_SOCKET && has_account)
		return context->peer_socket ? MEASURE_CPU : MEASURE_RECEIVER_SOCKET;
	return parts[first];
}

void limit_decide(const struct diagnosis_input *input, struct limit *limit)
{
	struct features features;

	memset(limit, 0, sizeof(*limit));
	features_read(input, &features);
	shares_weigh(&features, limit->shares);
	if (is_queue(&features, input->path)) {
		limit->shares[FACTOR_QUEUE] = limit->shares[FACTOR_LINK];
		limit->shares[FACTOR_LINK] = 0;
	}
	name_cause(limit, &features);
	set_where(limit, &features);
	collect_evidence(limit, &features);
	limit->decide = choose_measurement(limit, input);
}
