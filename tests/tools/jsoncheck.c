/*
 * jsoncheck FILE: exit 0 when FILE is one JSON document, 1 when it is not (the reason goes to
 * standard error), 2 when it cannot be read.  Public suites of documents can be run over it.
 */
#include "base/json.h"

#include <err.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: jsoncheck FILE\n");
		return 2;
	}
	struct source *source = source_open(argv[1]);
	if (source == NULL)
		err(2, "%s", argv[1]);
	struct json *json = json_open(source, 0);
	enum json_token token;
	while ((token = json_next(json)) > JSON_END)
		;
	if (token == JSON_ERROR)
		warnx("%s: %s", source_name(source), json_error(json));
	json_close(json);
	source_close(source);
	return token == JSON_ERROR;
}
