#include "system/netlink.h"

#include <string.h>

static void advance(struct netlink_span *span, size_t length)
{
	size_t padded = (length + 3) & ~(size_t)3;

	if (padded > span->left)
		padded = span->left;
	span->at += padded;
	span->left -= padded;
}

bool netlink_message(struct netlink_span *span, struct nlmsghdr *header, struct netlink_span *body)
{
	if (span->left < sizeof(*header))
		return false;
	memcpy(header, span->at, sizeof(*header));
	if (header->nlmsg_len < sizeof(*header) || header->nlmsg_len > span->left)
		return false;
	body->at = span->at + sizeof(*header);
	body->left = header->nlmsg_len - sizeof(*header);
	advance(span, header->nlmsg_len);
	return true;
}

bool netlink_attribute(struct netlink_span *span, unsigned *type, struct netlink_span *body)
{
	struct nlattr header;

	if (span->left < sizeof(header))
		return false;
	memcpy(&header, span->at, sizeof(header));
	if (header.nla_len < sizeof(header) || header.nla_len > span->left)
		return false;
	*type = header.nla_type & (unsigned)NLA_TYPE_MASK;
	body->at = span->at + sizeof(header);
	body->left = header.nla_len - sizeof(header);
	advance(span, header.nla_len);
	return true;
}

bool netlink_header(struct netlink_span *span, void *header, size_t size)
{
	if (span->left < size)
		return false;
	memcpy(header, span->at, size);
	advance(span, size);
	return true;
}

size_t netlink_copy(struct netlink_span body, void *out, size_t size)
{
	size_t length = body.left < size ? body.left : size;

	memcpy(out, body.at, length);
	memset((char *)out + length, 0, size - length);
	return length;
}

void netlink_text(struct netlink_span body, char *out, size_t size)
{
	size_t length = strnlen(body.at, body.left);

	if (length < size) {
		memcpy(out, body.at, length);
		out[length] = '\0';
	}
}
