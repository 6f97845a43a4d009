#include "apply/plan_file.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apply/plan_check.h"
#include "apply/override.h"
#include "base/json.h"
#include "base/quote.h"

static bool refuse(struct plan_note *note, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Always false, so that it ends a function. */
static bool refuse(struct plan_note *note, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(note->text, sizeof(note->text), format, arguments);
	va_end(arguments);
	return false;
}

/* `where` says which setting of the input this is: "line 3", "settings[2]". */
static bool add_setting(
    struct plan *plan, const struct setting *setting, const char *where, struct plan_note *note)
{
	char why[240];
	if (!setting_check(setting, why, sizeof(why)))
		return refuse(note, "%s: %s", where, why);
	for (size_t i = 0; i < plan->setting_count; i++)
		if (plan->settings[i].id == setting->id && plan->settings[i].host == setting->host)
			return refuse(
			    note, "%s: %s is set twice", where, tunables[setting->id].key);
	if (plan->setting_count == PLAN_SETTINGS_MAX)
		return refuse(note, "%s: more than %d settings", where, PLAN_SETTINGS_MAX);
	plan->settings[plan->setting_count] = *setting;
	plan->settings[plan->setting_count++].change = true;
	return true;
}

/* Key and value are foreign text, and are quoted as such in what is said about them. */
static bool set_key(
    struct setting *setting, const char *key, const char *where, struct plan_note *note)
{
	setting->id = tunable_find(key);
	if (setting->id == TUNABLE_COUNT)
		return refuse(
		    note, "%s: '%.100s' is not a setting that bdp knows", where, quoted(key));
	return true;
}

static bool set_value(
    struct setting *setting, const char *value, const char *where, struct plan_note *note)
{
	static const char *const expected[] = {
	    [TUNABLE_NUMBER] = "one whole number",
	    [TUNABLE_VECTOR3] = "three whole numbers, min default max",
	    [TUNABLE_WORD] = "one name",
	    [TUNABLE_WORDS] = "names",
	};
	if (tunable_value_parse(setting->id, value, &setting->value))
		return true;
	bool in_quotes = value[0] == '"' || value[0] == '\'';
	return refuse(note, "%s: %s takes %s%s, not '%.60s'", where, tunables[setting->id].key,
	    expected[tunables[setting->id].kind], in_quotes ? " without quotes" : "",
	    quoted(value));
}

/* ---- lines as in sysctl.d ---- */

static bool add_line(struct plan *plan, char *line, const char *where, struct plan_note *note)
{
	struct sysctl_line cut = sysctl_line_cut(line);
	struct setting setting = {.host = ROLE_UNKNOWN};
	if (cut.kind == SYSCTL_BLANK || cut.kind == SYSCTL_COMMENT)
		return true;
	if (cut.kind == SYSCTL_OTHER)
		return refuse(note, "%s: '%.100s' is neither 'key = value' nor a comment", where,
		    quoted(line + strspn(line, " \t")));
	return set_key(&setting, cut.key, where, note) &&
	       set_value(&setting, cut.value, where, note) &&
	       add_setting(plan, &setting, where, note);
}

static bool read_lines(struct plan *plan, struct source *source, struct plan_note *note)
{
	char line[1024];
	bool cut;
	int got;
	while ((got = source_line(source, line, sizeof(line), &cut)) > 0) {
		char where[40];
		snprintf(where, sizeof(where), "line %llu",
		    (unsigned long long)source_line_number(source));
		/* A comment may be as long as it likes. */
		bool comment = line[strspn(line, " \t")] == '#' || line[strspn(line, " \t")] == ';';
		if (cut && !comment)
			return refuse(note, "%s: too long for a setting", where);
		if (!comment && !add_line(plan, line, where, note))
			return false;
	}
	if (got < 0)
		return refuse(note, "%s", strerror(errno));
	if (plan->setting_count == 0)
		return refuse(note, "there is no setting in it");
	return true;
}

/* ---- the JSON report ---- */

enum field { FIELD_KEY, FIELD_VALUE, FIELD_HOST, FIELD_WHY, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {
    [FIELD_KEY] = "key",
    [FIELD_VALUE] = "value",
    [FIELD_HOST] = "host",
    [FIELD_WHY] = "why",
};

struct reading {
	struct json *json;
	struct plan *plan;
	struct plan_note *note;
	char where[40];
	unsigned seen; /* fields of the setting being read */
	bool has_schema, has_settings;
	char value[256];
};

static bool json_refuse(struct reading *reading)
{
	return refuse(reading->note, "%s%s", json_error(reading->json),
	    json_is_cut_short(reading->json) ? " (cut short: nothing of it is used)" : "");
}

/* A role by the name that a report gives it; null is none. */
static bool take_role(
    struct reading *reading, enum json_token token, const char *name, enum role *role)
{
	static const enum role roles[] = {ROLE_RECEIVER, ROLE_SENDER, ROLE_PROXY};
	*role = ROLE_UNKNOWN;
	if (token == JSON_NULL)
		return true;
	if (token == JSON_ERROR)
		return json_refuse(reading);
	const char *text = token == JSON_STRING ? json_text(reading->json, NULL) : "no string";
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]) && token == JSON_STRING; i++) {
		if (strcmp(text, role_name(roles[i])) == 0) {
			*role = roles[i];
			return true;
		}
	}
	return refuse(reading->note, "%s: \"%s\" is '%.60s', not receiver, sender or proxy",
	    reading->where, name, quoted(text));
}

static bool take_field(struct reading *reading, enum field field, struct setting *setting)
{
	enum json_token token = json_next(reading->json);
	size_t length = 0;
	if (token == JSON_ERROR)
		return json_refuse(reading);
	if (reading->seen & 1U << field)
		return refuse(
		    reading->note, "%s: \"%s\" is there twice", reading->where, field_names[field]);
	reading->seen |= 1U << field;
	if (field == FIELD_HOST)
		return take_role(reading, token, "host", &setting->host);
	/* A single number may be written as one. */
	if (token != JSON_STRING && !(field == FIELD_VALUE && token == JSON_NUMBER))
		return refuse(reading->note, "%s: \"%s\" is not a string", reading->where,
		    field_names[field]);
	const char *text = json_text(reading->json, &length);
	/* What is compared and what is shown must be the same text. */
	if (strlen(text) != length)
		return refuse(reading->note, "%s: \"%s\" has a NUL in it", reading->where,
		    field_names[field]);
	if (field == FIELD_KEY)
		return set_key(setting, text, reading->where, reading->note);
	if (field == FIELD_WHY)
		strlcpy(setting->why, text, sizeof(setting->why));
	else if (strlcpy(reading->value, text, sizeof(reading->value)) >= sizeof(reading->value))
		return refuse(reading->note, "%s: \"value\" is too long", reading->where);
	return true;
}

/* Reports say more than a plan needs, and later ones may say more still. */
static bool skip_value(struct reading *reading)
{
	enum json_token token = json_next(reading->json);
	bool container = token == JSON_BEGIN_OBJECT || token == JSON_BEGIN_ARRAY;
	if (token == JSON_ERROR || (container && !json_skip(reading->json)))
		return json_refuse(reading);
	return true;
}

static enum field field_of(const char *name)
{
	unsigned field = 0;
	while (field < FIELD_COUNT && strcmp(field_names[field], name) != 0)
		field++;
	return (enum field)field;
}

/* The value can be looked at only when the key is known, which may come after it. */
static bool end_setting(struct reading *reading, struct setting *setting)
{
	if (!(reading->seen & 1U << FIELD_KEY) || !(reading->seen & 1U << FIELD_VALUE))
		return refuse(reading->note, "%s: needs a \"key\" and a \"value\"", reading->where);
	return set_value(setting, reading->value, reading->where, reading->note) &&
	       add_setting(reading->plan, setting, reading->where, reading->note);
}

static bool read_setting(struct reading *reading)
{
	struct setting setting = {.host = ROLE_UNKNOWN};
	reading->seen = 0;
	for (;;) {
		enum json_token token = json_next(reading->json);
		if (token == JSON_END_OBJECT)
			return end_setting(reading, &setting);
		if (token != JSON_KEY)
			return json_refuse(reading);
		enum field field = field_of(json_text(reading->json, NULL));
		if (field == FIELD_COUNT) {
			if (!skip_value(reading))
				return false;
		} else if (!take_field(reading, field, &setting)) {
			return false;
		}
	}
}

static bool read_settings(struct reading *reading)
{
	if (reading->has_settings)
		return refuse(reading->note, "\"settings\" is there twice");
	reading->has_settings = true;
	enum json_token begun = json_next(reading->json);
	if (begun == JSON_ERROR)
		return json_refuse(reading);
	if (begun != JSON_BEGIN_ARRAY)
		return refuse(reading->note, "\"settings\" is not a list");
	for (unsigned i = 0;; i++) {
		enum json_token token = json_next(reading->json);
		snprintf(reading->where, sizeof(reading->where), "settings[%u]", i);
		if (token == JSON_END_ARRAY)
			return true;
		if (token == JSON_ERROR)
			return json_refuse(reading);
		if (token != JSON_BEGIN_OBJECT)
			return refuse(reading->note, "%s: is not an object", reading->where);
		if (!read_setting(reading))
			return false;
	}
}

/* Of reports that hold a plan; a sweep before 0.2 called itself bdp/1. */
static const char *const schemas[] = {"bdp/1", "bdp-sweep/1", "bdp-sockets/1"};

static bool read_schema(struct reading *reading)
{
	enum json_token token = json_next(reading->json);
	if (token == JSON_ERROR)
		return json_refuse(reading);
	const char *schema = token == JSON_STRING ? json_text(reading->json, NULL) : "";
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
		reading->has_schema = reading->has_schema || strcmp(schema, schemas[i]) == 0;
	return reading->has_schema ||
	       refuse(reading->note, "its \"schema\" is not of a report that holds a plan "
				     "(\"bdp/1\", \"bdp-sweep/1\" or \"bdp-sockets/1\")");
}

/* A name of a host; null is none. */
static bool take_name(struct reading *reading, const char *name, char *into, size_t size)
{
	enum json_token token = json_next(reading->json);
	if (token == JSON_ERROR)
		return json_refuse(reading);
	if (token == JSON_NULL)
		return true;
	if (token != JSON_STRING)
		return refuse(reading->note, "plan: \"%s\" is not a string", name);
	if (strlcpy(into, json_text(reading->json, NULL), size) >= size)
		return refuse(reading->note, "plan: \"%s\" is too long", name);
	return true;
}

static bool read_name(struct reading *reading, const char *name)
{
	struct plan *plan = reading->plan;
	char by[16] = "";
	if (strcmp(name, "here_by") == 0) {
		if (!take_name(reading, "here_by", by, sizeof(by)))
			return false;
		plan->here_by = strcmp(by, "role") == 0 ? HERE_BY_ROLE : HERE_BY_NOTHING;
		return true;
	}
	const struct {
		const char *name;
		char *into;
	} names[] = {{"sender", plan->sender_name}, {"receiver", plan->receiver_name},
	    {"proxy", plan->proxy_name}, {"made_on", plan->made_on}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, name) == 0)
			return take_name(
			    reading, names[i].name, names[i].into, sizeof(plan->sender_name));
	return skip_value(reading);
}

/* Which hosts the plan is for, and which of them the machine was that it was made on. */
static bool read_facts(struct reading *reading)
{
	enum json_token token = json_next(reading->json);
	if (token == JSON_ERROR)
		return json_refuse(reading);
	strlcpy(reading->where, "plan", sizeof(reading->where));
	if (token != JSON_BEGIN_OBJECT)
		return refuse(reading->note, "\"plan\" is not an object");
	while ((token = json_next(reading->json)) == JSON_KEY) {
		const char *name = json_text(reading->json, NULL);
		bool good;
		if (strcmp(name, "here") == 0)
			good = take_role(
			    reading, json_next(reading->json), "here", &reading->plan->here);
		else if (strcmp(name, "role") == 0)
			good = take_role(
			    reading, json_next(reading->json), "role", &reading->plan->role);
		else
			good = read_name(reading, name);
		if (!good)
			return false;
	}
	return token == JSON_END_OBJECT || json_refuse(reading);
}

static bool read_member(struct reading *reading)
{
	const char *name = json_text(reading->json, NULL);
	if (strcmp(name, "schema") == 0)
		return read_schema(reading);
	if (strcmp(name, "settings") == 0)
		return read_settings(reading);
	if (strcmp(name, "plan") == 0)
		return read_facts(reading);
	return skip_value(reading);
}

static bool read_document(struct reading *reading)
{
	enum json_token token = json_next(reading->json);
	if (token != JSON_BEGIN_OBJECT)
		return json_refuse(reading);
	while ((token = json_next(reading->json)) == JSON_KEY)
		if (!read_member(reading))
			return false;
	if (token != JSON_END_OBJECT || json_next(reading->json) != JSON_END)
		return json_refuse(reading);
	if (!reading->has_schema || !reading->has_settings)
		return refuse(reading->note,
		    "it is JSON, but not a report of 'bdp -o json' (no \"schema\" or no \"settings\")");
	return true;
}

bool plan_file_read(struct plan *plan, struct source *source, struct plan_note *note)
{
	*plan = (struct plan){.role = ROLE_UNKNOWN};
	note->text[0] = '\0';
	const char *bytes;
	size_t length = source_peek(source, &bytes), blanks = 0;
	while (blanks < length && strchr(" \t\r\n", bytes[blanks]) != NULL && bytes[blanks] != '\0')
		blanks++;
	bool good;
	if (blanks < length && bytes[blanks] == '{') {
		struct reading reading = {.plan = plan, .note = note};
		reading.json = json_open(source, 0);
		good = read_document(&reading);
		json_close(reading.json);
	} else {
		good = read_lines(plan, source, note);
	}
	if (!good)
		plan->setting_count = 0;
	return good;
}
