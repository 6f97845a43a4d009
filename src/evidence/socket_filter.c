#include "evidence/socket_filter.h"

#include <arpa/inet.h>
#include <string.h>

#include "evidence/scan.h"
#include "evidence/socket_state.h"

#define MAPPED_BITS 96

/* Its mapped form; *bits is how long an address of its family is, and where it begins. */
static bool address_read(const char *text, unsigned char out[16], unsigned *bits)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};

	*bits = 32;
	memcpy(out, mapped, sizeof(mapped));
	if (inet_pton(AF_INET, text, out + sizeof(mapped)) == 1)
		return true;
	*bits = 128;
	return inet_pton(AF_INET6, text, out) == 1;
}

/* "fe80::1%eth0" as ip(8) and ss(8) print it: the kernel's sockets are compared by address, and the zone
 * is cut off.  False when it is none (RFC 4007, 11.2). */
static bool zone_cut(char *address)
{
	char *percent = strchr(address, '%');

	if (percent == NULL)
		return true;
	*percent = '\0';
	return percent[1] != '\0' && strpbrk(percent + 1, "%:[]") == NULL &&
	       strchr(address, ':') != NULL;
}

bool address_block_parse(const char *text, struct address_block *block, const char **why)
{
	char address[64];
	size_t length = strcspn(text, "/");
	unsigned most;
	uint64_t bits;

	*why = "expected an address or a block, such as 192.0.2.10, 192.0.2.0/24 or "
	       "2001:db8::/32; names are not looked up";
	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	if (!zone_cut(address))
		return false;
	if (!address_read(address, block->address, &most))
		return false;
	bits = most;
	if (text[length] == '/') {
		const char *at = text + length + 1;
		if (!scan_uint(&at, &bits) || *at != '\0' || bits > most) {
			*why = most == 32 ? "expected a length of 0 to 32 behind '/'"
					  : "expected a length of 0 to 128 behind '/'";
			return false;
		}
	}
	block->bits = (unsigned)bits + (most == 32 ? MAPPED_BITS : 0);
	return true;
}

/* The end of the address: before a port, which IPv6 has only behind brackets. */
static const char *address_end(const char *text)
{
	const char *colon = strchr(text, ':');

	if (text[0] == '[')
		return strchr(text, ']');
	return colon && !strchr(colon + 1, ':') ? colon : text + strlen(text);
}

bool endpoint_parse(const char *text, struct endpoint *endpoint, const char **why)
{
	char host[64];
	bool brackets = text[0] == '[';
	const char *start = text + brackets, *end = address_end(text);
	uint64_t number = 0;

	*why = "expected an address and perhaps a port, such as 192.0.2.10:443 or "
	       "[2001:db8::1]:443; names are not looked up";
	if (!end || (size_t)(end - start) >= sizeof(host))
		return false;
	memcpy(host, start, (size_t)(end - start));
	host[end - start] = '\0';
	end += brackets;
	if (strchr(host, '/') ||
	    !address_block_parse(host, &endpoint->address, &(const char *){NULL}))
		return false;
	if (*end == ':') {
		end++;
		if (!scan_uint(&end, &number) || number == 0 || number > UINT16_MAX)
			return false;
	}
	endpoint->name = text;
	endpoint->port = (uint16_t)number;
	return *end == '\0';
}

bool address_block_has(const struct address_block *block, const char *address)
{
	unsigned char bytes[16];
	unsigned most, whole = block->bits / 8, rest = block->bits % 8;

	if (!address_read(address, bytes, &most) || memcmp(bytes, block->address, whole) != 0)
		return false;
	return rest == 0 || ((bytes[whole] ^ block->address[whole]) >> (8 - rest)) == 0;
}

uint64_t socket_held_bytes(const struct socket_info *info)
{
	return info->rmem_alloc + info->wmem_queued + info->forward_alloc;
}

bool socket_filter_takes(const struct socket_filter *filter, const struct socket_info *info)
{
	enum socket_state state = socket_state_find(info->state);

	if (state != STATE_UNKNOWN && (filter->states & STATE_BIT(state)) == 0)
		return false;
	if (filter->port != 0 && info->local_port != filter->port &&
	    info->peer_port != filter->port)
		return false;
	if (filter->has_peer && !address_block_has(&filter->peer, info->peer))
		return false;
	return filter->min_held == 0 ||
	       ((info->has & SOCKET_SKMEM) && socket_held_bytes(info) >= filter->min_held);
}
