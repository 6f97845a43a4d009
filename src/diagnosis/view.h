/*
 * The ratios that several features look at, each with what it takes to be known.
 */
#ifndef BDP_VIEW_H
#define BDP_VIEW_H

#include "diagnosis/features.h"

struct view {
	const struct path *path;
	const struct run *run; /* NULL for numbers given by hand */
	const struct socket_info *socket, *peer_socket;
	const struct host *sender, *receiver;
	const struct ping *other_ping; /* NULL for none */
	struct features *features;

	const struct bin *bins; /* the governing stretch */
	size_t count;

	bool bbr;	       /* told, or cwnd moves as only BBR's does */
	bool knows_loss;       /* retransmits were counted */
	bool rows_tell_loss;   /* and of each interval */
	bool lossless;	       /* the governing stretch is */
	bool has_rtt;	       /* the RTT under load was measured */
	bool base_is_measured; /* base_us is of the idle path */
	double base_us;	       /* RTT without the flow's own queue; 0 when unknown */
	double loaded_us;      /* RTT under load; 0 when unknown */
	double naive_us;       /* cwnd / rate; 0 when unknown */
	double queue_ratio;    /* loaded / base; 0 when unknown */
	/* bytes in flight of one connection: measured (low == high), else an interval; 0 when unknown */
	double in_flight, in_flight_low, in_flight_high;
	bool in_flight_measured;
	double window_fill, cwnd_fill; /* 0 when unknown */
	double asked_bps;	       /* -b, all streams; 0 when none */
	double buffer_asked;	       /* -w; 0 when none */
	double excess_ratio;	       /* (sent - received) / cwnd; valid with has_excess */
	bool has_excess;
	double ping_loss; /* of the idle path's probes; 0 when none or too few */
	double
	    backlog_us; /* what the deepest queue of tc takes to drain at the rate; 0 when unknown */
	bool one_reading; /* all that is known of the flow is one reading of its sender's socket */
	bool same_host;	  /* both ends are one machine */
};

void view_read(const struct diagnosis_input *input, struct features *features, struct view *view);

/* Marks a feature as present, with its numbers. */
void feature_set(const struct view *view, enum feature feature, double value, double reference);
/* The same of a number on a logarithmic scale: its weight counts not at all where value is `middle`, once where
 * it is `step` times that, once against where it is a `step` below; at most GRADE_MOST. */
void feature_grade(const struct view *view, enum feature feature, double value, double reference,
    double middle, double step);

/* The peer's window moves as that of a program that reads slowly: once features_of_window looked at it. */
bool window_tells_reader(const struct view *view);

/* The groups of features, each in a file of its own. */
void features_of_window(const struct view *view);
void features_of_ceilings(const struct view *view);
void features_of_sockets(const struct view *view);
void features_of_loss(const struct view *view);
void features_of_queue(const struct view *view);
void features_of_rate(const struct view *view);
void features_of_hosts(const struct view *view);

#endif
