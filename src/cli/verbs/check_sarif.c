/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_sarif - findings for code hosts, which show them at the lines of a pull request
 *
 * Names of sections are those of SARIF 2.1.0 (OASIS).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/verbs/findings.h"
#include "input/input.h"
#include "report/out/json.h"

/* A text read again, for columns: the line that was looked for last. */
struct lines {
	char *name;
	struct fl_text text;
	size_t at;
	uint32_t line;
};

/* --- artifactLocation (3.4) --- */

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("-._~/", c);
}

static bool has_dot_dot(const char *file)
{
	for (; file; file = strchr(file, '/')) {
		file += *file == '/';
		if (strncmp(file, "..", 2) == 0 && (file[2] == '/' || !file[2]))
			return true;
	}
	return false;
}

/* "./a//b c" is "a/b%20c"; what stands outside of the present folder is absolute. */
static void put_uri(struct fl_json *j, const char *file)
{
	char full[PATH_MAX], here[PATH_MAX], uri[3 * PATH_MAX + 8] = "";
	size_t n = 0, len = 0;

	if (has_dot_dot(file) && realpath(file, full))
		file = full;
	if (*file == '/' && getcwd(here, sizeof(here)))
		len = strlen(here);
	if (len && strncmp(file, here, len) == 0 && file[len] == '/')
		file += len + 1;
	if (*file == '/')
		n = (size_t)snprintf(uri, sizeof(uri), "file://");
	for (char last = *file == '/' ? '\0' : '/'; *file && n + 4 < sizeof(uri); last = *file++) {
		if (last == '/' && file[0] == '.' && file[1] == '/')
			file++;
		else if (last == '/' && *file == '/')
			continue;
		else if (is_plain((unsigned char)*file))
			uri[n++] = *file;
		else
			n += (size_t)snprintf(uri + n, 4, "%%%02X", (unsigned char)*file);
	}
	uri[n] = '\0';
	fl_json_text(j, "uri", uri);
}

static bool is_packed(const char *file)
{
	size_t n = strlen(file);

	return n > 3 && strcmp(file + n - 3, ".gz") == 0;
}

static bool is_standard_input(const char *file) { return strcmp(file, fl_input_title("-")) == 0; }

static void put_artifact(struct fl_json *j, const char *file)
{
	const char *what = is_standard_input(file) ? "standard input" :
			   is_packed(file) ? "lines and columns are those of the unpacked text" :
					     NULL;

	fl_json_object(j, "artifactLocation");
	if (is_standard_input(file))
		fl_json_text(j, "uri", "stdin");
	else
		put_uri(j, file);
	if (what) {
		fl_json_object(j, "description");
		fl_json_text(j, "text", what);
		fl_json_end_object(j);
	}
	fl_json_end_object(j);
}

/* --- region (3.30) --- */

static void close_lines(struct lines *l)
{
	free(l->name);
	fl_text_done(&l->text);
	*l = (struct lines){ 0 };
}

/* False when it cannot be read (again). */
static bool open_lines(struct lines *l, const char *file)
{
	fairlead_error unused;

	if (l->name && strcmp(l->name, file) == 0)
		return l->text.bytes;
	close_lines(l);
	l->name = strdup(file);
	if (!l->name || is_standard_input(file) || fl_input_read(file, &l->text, &unused) < 0)
		return false;
	l->line = 1;
	return true;
}

/* Columns are counted in bytes everywhere else; 0 when the line is not there. */
static uint32_t utf16_column(struct lines *l, const struct fl_diagnostic *d)
{
	uint32_t column = 1;

	if (!open_lines(l, d->file))
		return 0;
	if (d->line < l->line) {
		l->at = 0;
		l->line = 1;
	}
	for (; l->line < d->line; l->line++) {
		const char *end = memchr(l->text.bytes + l->at, '\n', l->text.len - l->at);

		if (!end)
			return 0;
		l->at = (size_t)(end - l->text.bytes) + 1;
	}
	for (size_t i = 0; i + 1 < d->column && l->at + i < l->text.len; i++) {
		unsigned char c = (unsigned char)l->text.bytes[l->at + i];

		/* A character counts once, at its first byte; beyond 16 bits it takes two units. */
		column += (c & 0xc0) != 0x80;
		column += c >= 0xf0;
	}
	return column;
}

static void put_location(struct fl_json *j, struct lines *l, const struct fl_diagnostic *d)
{
	uint32_t column = d->line && d->column ? utf16_column(l, d) : 0;

	fl_json_list(j, "locations");
	if (*d->file) {
		fl_json_object(j, NULL);
		fl_json_object(j, "physicalLocation");
		put_artifact(j, d->file);
		if (d->line) {
			fl_json_object(j, "region");
			fl_json_int(j, "startLine", d->line);
			if (column)
				fl_json_int(j, "startColumn", column);
			fl_json_end_object(j);
		}
		fl_json_end_object(j);
		if (*d->subject) {
			fl_json_list(j, "logicalLocations");
			fl_json_object(j, NULL);
			fl_json_text(j, "fullyQualifiedName", d->subject);
			fl_json_end_object(j);
			fl_json_end_list(j);
		}
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

/* --- result (3.27) --- */

struct out {
	struct fl_json json;
	struct lines lines;
	uint64_t *seen; /* fingerprints so far */
	uint32_t n_seen;
};

/* FNV-1a, 64 bits, with the NUL as an end. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	do {
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	} while (*text++);
	return hash;
}

/*
 * What identifies a finding: its rule, its file, and the object and field it is about.  Neither its
 * line nor its words count, so that it stays the same finding when lines move or a message is
 * reworded.  Of equal findings the first is 1.
 */
static void put_fingerprint(struct out *o, const char *rule, const struct fl_diagnostic *d)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t equal = 1;
	char text[40];

	hash = hash_text(hash, rule);
	hash = hash_text(hash, d->file);
	hash = hash_text(hash, d->subject);
	for (uint32_t i = 0; i < o->n_seen; i++)
		equal += o->seen[i] == hash;
	o->seen[o->n_seen++] = hash;
	snprintf(text, sizeof(text), "%016llx:%u", (unsigned long long)hash, equal);
	fl_json_object(&o->json, "partialFingerprints");
	fl_json_text(&o->json, "fairleadFinding/v2", text);
	fl_json_end_object(&o->json);
}

/* What stands on the terminal behind the severity: the subject, the text, and a hint below. */
static void put_message(struct fl_json *j, const struct fl_diagnostic *d)
{
	bool subject = *d->subject, hint = *d->hint;
	char text[1 << 12]; /* each of the three is much shorter */

	fl_json_object(j, "message");
	snprintf(text, sizeof(text), "%s%s%s%s%s", d->subject, subject ? ": " : "", d->text,
		 hint ? "\nhint: " : "", d->hint);
	fl_json_text(j, "text", text);
	fl_json_end_object(j);
}

static void put_result(struct out *o, uint32_t rule_index, const char *rule, const char *level,
		       const struct fl_diagnostic *d)
{
	struct fl_json *j = &o->json;

	fl_json_object(j, NULL);
	fl_json_text(j, "ruleId", rule);
	fl_json_int(j, "ruleIndex", rule_index);
	fl_json_text(j, "level", level);
	put_message(j, d);
	put_location(j, &o->lines, d);
	put_fingerprint(o, rule, d);
	fl_json_end_object(j);
}

static const char *level_of(enum fl_notice_kind kind)
{
	return fl_notice_is_note(kind) ? "note" : "warning";
}

static void put_results(struct out *o, const struct fl_findings *f)
{
	fl_json_list(&o->json, "results");
	for (uint32_t i = 0; i < f->n_errors; i++) {
		struct fl_diagnostic d = fl_finding_error(f, i);
		enum fl_error_kind kind = fl_error_kind_of(&f->errors[i]);

		put_result(o, (uint32_t)kind, fl_error_kinds[kind].name, "error", &d);
	}
	for (uint32_t i = 0; i < f->n_notices; i++) {
		struct fl_diagnostic d = fl_finding_warning(f, i);
		enum fl_notice_kind kind = f->model->notices[f->notices[i]].kind;

		put_result(o, FL_ERROR_KINDS + (uint32_t)kind, fl_notice_name(kind), level_of(kind),
			   &d);
	}
	fl_json_end_list(&o->json);
}

/* --- run (3.14) --- */

static void put_rule(struct fl_json *j, const char *name, const char *meaning, const char *advice,
		     const char *level)
{
	const struct {
		const char *key, *text;
	} texts[] = { { "shortDescription", meaning }, { "help", advice } };

	fl_json_object(j, NULL);
	fl_json_text(j, "id", name);
	for (unsigned i = 0; i < 2; i++) {
		fl_json_object(j, texts[i].key);
		fl_json_text(j, "text", texts[i].text);
		fl_json_end_object(j);
	}
	fl_json_object(j, "defaultConfiguration");
	fl_json_text(j, "level", level);
	fl_json_end_object(j);
	fl_json_end_object(j);
}

static void put_tool(struct fl_json *j)
{
	fl_json_object(j, "tool");
	fl_json_object(j, "driver");
	fl_json_text(j, "name", "fairlead");
	fl_json_text(j, "version", FAIRLEAD_VERSION);
	fl_json_list(j, "rules");
	for (unsigned i = 0; i < FL_ERROR_KINDS; i++)
		put_rule(j, fl_error_kinds[i].name, fl_error_kinds[i].meaning,
			 fl_error_kinds[i].advice, "error");
	for (uint32_t i = 0; i < FL_NOTICE_KINDS; i++) {
		enum fl_notice_kind kind = (enum fl_notice_kind)i;

		put_rule(j, fl_notice_name(kind), fl_notice_meaning(kind), fl_notice_advice(kind),
			 level_of(kind));
	}
	fl_json_end_list(j);
	fl_json_end_object(j);
	fl_json_end_object(j);
}

static void put_invocation(struct fl_json *j, const struct fl_findings *f, int exit_code)
{
	char text[80];

	fl_json_list(j, "invocations");
	fl_json_object(j, NULL);
	fl_json_bool(j, "executionSuccessful", exit_code != FL_EXIT_FAILED);
	fl_json_int(j, "exitCode", exit_code);
	if (f->dropped) {
		snprintf(text, sizeof(text), "%u more warnings, above the limit of what is kept",
			 f->dropped);
		fl_json_list(j, "toolExecutionNotifications");
		fl_json_object(j, NULL);
		fl_json_text(j, "level", "warning");
		fl_json_object(j, "message");
		fl_json_text(j, "text", text);
		fl_json_end_object(j);
		fl_json_end_object(j);
		fl_json_end_list(j);
	}
	fl_json_end_object(j);
	fl_json_end_list(j);
}

int fl_findings_sarif(const struct fl_findings *f, int exit_code)
{
	struct out o = { .seen = calloc((size_t)f->n_errors + f->n_notices + 1, sizeof(*o.seen)) };
	struct fl_json *j = &o.json;

	if (!o.seen)
		return FAIRLEAD_ENOMEM;
	fl_json_init(j, stdout);
	fl_json_object(j, NULL);
	fl_json_text(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	fl_json_text(j, "version", "2.1.0");
	fl_json_list(j, "runs");
	fl_json_object(j, NULL);
	put_tool(j);
	put_invocation(j, f, exit_code);
	fl_json_text(j, "columnKind", "utf16CodeUnits");
	put_results(&o, f);
	fl_json_end_object(j);
	fl_json_end_list(j);
	fl_json_end_object(j);
	putc('\n', stdout);
	close_lines(&o.lines);
	free(o.seen);
	return 0;
}
