/*
 * Whether an address, or a host's name, is one of this machine's.
 */
#ifndef BDP_ADDRESSES_H
#define BDP_ADDRESSES_H

enum presence {
	PRESENCE_UNKNOWN, /* no address, and no name of this machine: names are not looked up */
	PRESENCE_ABSENT,  /* an address that no interface of this machine has */
	PRESENCE_HERE,
};

/*
 * `name` is an IPv4 or IPv6 address as ss and iperf3 print it (a zone behind '%' and brackets are
 * left out; ::ffff:192.0.2.1 is 192.0.2.1), or a host name, or "".  All of 127.0.0.0/8 and ::1 are here.
 * The interfaces are those of this network namespace, read once (getifaddrs(3)); when they cannot be
 * read, nothing is known.
 */
enum presence address_presence(const char *name);

#endif
