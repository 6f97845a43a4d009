#include "system/addresses.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <ifaddrs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

/* Every address is held as one of IPv6, an IPv4 one mapped into it. */
struct address {
	uint8_t bytes[16];
};

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static void address_map(const void *ipv4, struct address *address)
{
	memcpy(address->bytes, mapped, sizeof(mapped));
	memcpy(address->bytes + sizeof(mapped), ipv4, 4);
}

static bool address_parse(const char *name, struct address *address)
{
	char text[INET6_ADDRSTRLEN + 8];
	struct in_addr ipv4;
	size_t length;

	if (*name == '[')
		name++;
	length = strcspn(name, "%]");
	if (length >= sizeof(text))
		return false;
	memcpy(text, name, length);
	text[length] = '\0';
	if (inet_pton(AF_INET, text, &ipv4) == 1) {
		address_map(&ipv4, address);
		return true;
	}
	return inet_pton(AF_INET6, text, address->bytes) == 1;
}

static bool is_loopback(const struct address *address)
{
	static const uint8_t one[16] = {[15] = 1};

	if (memcmp(address->bytes, mapped, sizeof(mapped)) == 0)
		return address->bytes[12] == 127;
	return memcmp(address->bytes, one, sizeof(one)) == 0;
}

static bool of_interface(const struct sockaddr *from, struct address *address)
{
	if (from && from->sa_family == AF_INET) {
		struct sockaddr_in ipv4;
		memcpy(&ipv4, from, sizeof(ipv4));
		address_map(&ipv4.sin_addr, address);
		return true;
	}
	if (from && from->sa_family == AF_INET6) {
		memcpy(address->bytes,
		    (const char *)from + offsetof(struct sockaddr_in6, sin6_addr), 16);
		return true;
	}
	return false;
}

static enum presence among_interfaces(const struct address *address)
{
	static struct ifaddrs *interfaces;
	static bool asked;
	struct address own;

	if (!asked && getifaddrs(&interfaces) != 0)
		interfaces = NULL;
	asked = true;
	for (const struct ifaddrs *at = interfaces; at; at = at->ifa_next)
		if (of_interface(at->ifa_addr, &own) && memcmp(&own, address, sizeof(own)) == 0)
			return PRESENCE_HERE;
	return interfaces ? PRESENCE_ABSENT : PRESENCE_UNKNOWN;
}

enum presence address_presence(const char *name)
{
	struct address address;
	struct utsname u;

	if (*name == '\0')
		return PRESENCE_UNKNOWN;
	if (!address_parse(name, &address))
		return uname(&u) == 0 && strcasecmp(u.nodename, name) == 0 ? PRESENCE_HERE
									   : PRESENCE_UNKNOWN;
	return is_loopback(&address) ? PRESENCE_HERE : among_interfaces(&address);
}
