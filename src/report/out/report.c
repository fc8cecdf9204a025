/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

const char *fl_report_workload(const struct fl_model *m, struct fl_workload w,
			       char buffer[FL_REPORT_NAME])
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	snprintf(buffer, FL_REPORT_NAME, "%.253s/%.253s", fl_model_text(m, row->namespace),
		 fl_model_text(m, row->name));
	return buffer;
}

const char *fl_report_who(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
			  char buffer[FL_REPORT_NAME])
{
	return r->jobs ? fl_model_text(m, m->workloads[w.v].name) :
			 fl_report_workload(m, w, buffer);
}

struct fl_node fl_report_queue(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return row->admitted_queue.v != FL_NONE ? row->admitted_queue : row->cluster_queue;
}

const char *fl_report_node(const struct fl_model *m, struct fl_node n)
{
	return n.v == FL_NONE ? "" : fl_model_text(m, m->nodes[n.v].name);
}

const char *fl_report_machine(const struct fl_model *m, struct fl_machine machine)
{
	return machine.v == FL_NONE ? "(unknown)" : fl_model_text(m, m->machines[machine.v].name);
}

const char *fl_report_flavor(const struct fl_model *m, struct fl_flavor f)
{
	return f.v == FL_NONE ? "" : fl_model_text(m, m->flavors[f.v].name);
}

const char *fl_report_resource(const struct fl_model *m, struct fl_resource r)
{
	return r.v == FL_NONE ? "" : fl_model_text(m, m->resources[r.v]);
}

static const char *without_domain(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

const char *fl_report_short_resource(const struct fl_model *m, struct fl_resource r)
{
	const char *name = fl_report_resource(m, r), *end = without_domain(name);

	for (uint32_t i = 0; i < m->n_resources; i++)
		if (i != r.v && strcmp(without_domain(fl_model_text(m, m->resources[i])), end) == 0)
			return name;
	return end;
}

const char *fl_report_kind(const struct fl_model *m, struct fl_node n)
{
	static const char *const names[] = {
		[FL_CLUSTER_QUEUE] = "ClusterQueue",
		[FL_COHORT] = "Cohort",
		[FL_QUEUE] = "Queue",
	};

	return names[m->nodes[n.v].kind];
}

const char *fl_report_workload_kind(const struct fl_model *m, struct fl_workload w)
{
	uint32_t gang = m->workloads[w.v].gang;

	return gang == FL_NONE ? "Workload" : m->gangs[gang].lone ? "Pod" : "PodGroup";
}

/* What people count in powers of two. */
static bool is_binary(const char *resource)
{
	return strcmp(resource, "memory") == 0 || strcmp(resource, "ephemeral-storage") == 0 ||
	       strcmp(resource, "storage") == 0 || strncmp(resource, "hugepages-", 10) == 0;
}

const char *fl_report_exact(const struct fl_report *r, struct fl_resource resource,
			    fl_amount amount, char buffer[32])
{
	const char *name = fl_report_resource(r->model, resource);

	if (amount == FL_UNLIMITED) {
		snprintf(buffer, 32, "unlimited");
		return buffer;
	}
	return r->quantity(buffer, amount, strcmp(name, "cpu") == 0, is_binary(name));
}

void fl_report_bytes(double value, int more, char buffer[32])
{
	static const char *const units[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	unsigned unit = 0;

	for (; fabs(value) >= 1024 && unit < 6; unit++)
		value /= 1024;
	snprintf(buffer, 32, "%.*f%s", (fabs(value) < 10 ? 2 : 1) + more, value, units[unit]);
}

/* Milli-cores above one as cores: "878.514" */
static void put_cores(fl_amount amount, char buffer[32])
{
	int n = snprintf(buffer, 32, "%lld.%03lld", (long long)(amount / 1000),
			 (long long)llabs(amount % 1000));

	while (buffer[n - 1] == '0')
		buffer[--n] = '\0';
}

enum { SHORT_ENOUGH = 6 }; /* characters: "7680Gi", "12500m" */

void fl_report_shorten(fl_amount amount, bool bytes, int more, char buffer[32])
{
	if (strlen(buffer) <= SHORT_ENOUGH)
		return;
	if (buffer[strlen(buffer) - 1] == 'm')
		put_cores(amount, buffer);
	else if (bytes)
		fl_report_bytes((double)amount, more, buffer);
}

static void shorten(const struct fl_report *r, struct fl_resource resource, fl_amount amount,
		    int more, char buffer[32])
{
	fl_report_exact(r, resource, amount, buffer);
	if (amount != FL_UNLIMITED)
		fl_report_shorten(amount, is_binary(fl_report_resource(r->model, resource)), more,
				  buffer);
}

const char *fl_report_amount(const struct fl_report *r, struct fl_resource resource,
			     fl_amount amount, char buffer[32])
{
	shorten(r, resource, amount, /* more= */ 0, buffer);
	return buffer;
}

/* Do two that differ look the same? */
static bool blurred(const fl_amount *amounts, unsigned n, char (*texts)[32])
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			if (amounts[i] != amounts[k] && strcmp(texts[i], texts[k]) == 0)
				return true;
	return false;
}

/* Are these bytes that are too long to be exact? */
static bool is_rounded(const struct fl_report *r, struct fl_resource resource, fl_amount amount)
{
	char text[32];

	fl_report_exact(r, resource, amount, text);
	return amount != FL_UNLIMITED && strlen(text) > SHORT_ENOUGH &&
	       is_binary(fl_report_resource(r->model, resource));
}

void fl_report_amounts(const struct fl_report *r, struct fl_resource resource,
		       const fl_amount *amounts, unsigned n, char (*ret)[32])
{
	bool rounded = false;

	for (unsigned i = 0; i < n; i++)
		rounded |= is_rounded(r, resource, amounts[i]);
	for (int more = 0; more < 3; more++) {
		for (unsigned i = 0; i < n; i++) {
			shorten(r, resource, amounts[i], more, ret[i]);
			/* Beside those of two, powers of ten could not be compared. */
			if (rounded && strchr("kMGTPE", ret[i][strlen(ret[i]) - 1]))
				fl_report_bytes((double)amounts[i], more, ret[i]);
		}
		if (!blurred(amounts, n, ret))
			return;
	}
	for (unsigned i = 0; i < n; i++)
		fl_report_exact(r, resource, amounts[i], ret[i]);
}

const char *fl_report_share(const struct fl_share *s, char buffer[32])
{
	double up = ceil(s->precise);

	/* Kueue publishes the largest int64 for an infinite share; no finite share is that large. */
	if (isinf(s->precise) || up >= 0x1p63)
		snprintf(buffer, 32, "inf");
	else
		snprintf(buffer, 32, "%.0f", up);
	return buffer;
}

const char *fl_report_precise(const struct fl_share *s, char buffer[32])
{
	if (isinf(s->precise))
		snprintf(buffer, 32, "inf");
	else
		snprintf(buffer, 32, "%.17g", s->precise);
	return buffer;
}

const char *fl_report_age(fl_time age, char buffer[32])
{
	static const struct {
		int64_t seconds;
		char unit;
	} units[] = {
		{ 86400, 'd' },
		{ 3600, 'h' },
		{ 60, 'm' },
		{ 1, 's' },
	};
	int64_t s = age > 0 ? age / FL_SECOND : 0;

	for (unsigned i = 0; i < 4; i++) {
		if (s < units[i].seconds && i < 3)
			continue;
		int64_t major = s / units[i].seconds;
		int64_t minor = i < 3 ? s % units[i].seconds / units[i + 1].seconds : 0;

		if (minor)
			snprintf(buffer, 32, "%lld%c%lld%c", (long long)major, units[i].unit,
				 (long long)minor, units[i + 1].unit);
		else
			snprintf(buffer, 32, "%lld%c", (long long)major, units[i].unit);
		break;
	}
	return buffer;
}

const char *fl_report_seconds(fl_time time, char buffer[32])
{
	long long whole = time / FL_SECOND, rest = llabs(time % FL_SECOND);
	const char *sign = time < 0 && whole == 0 ? "-" : "";
	int n;

	if (rest == 0) {
		snprintf(buffer, 32, "%lld", whole);
		return buffer;
	}
	n = snprintf(buffer, 32, "%s%lld.%09lld", sign, whole, rest);
	while (buffer[n - 1] == '0')
		buffer[--n] = '\0';
	return buffer;
}

const char *fl_style_start(const struct fl_report *r, enum fl_style style)
{
	static const char *const codes[] = {
		[FL_STYLE_PLAIN] = "",       [FL_STYLE_BOLD] = "\033[1m",
		[FL_STYLE_DIM] = "\033[2m",  [FL_STYLE_GOOD] = "\033[32m",
		[FL_STYLE_BAD] = "\033[31m", [FL_STYLE_WARN] = "\033[33m",
	};

	return r->color ? codes[style] : "";
}

const char *fl_style_end(const struct fl_report *r, enum fl_style style)
{
	return r->color && style != FL_STYLE_PLAIN ? "\033[0m" : "";
}

size_t fl_report_utf8(const char *text)
{
	static const struct {
		unsigned char mask, lead, low;
	} forms[] = {
		{ 0xe0, 0xc0, 0xc2 },
		{ 0xf0, 0xe0, 0xe0 },
		{ 0xf8, 0xf0, 0xf0 },
	};
	const unsigned char *s = (const unsigned char *)text;

	if (*s < 0x80)
		return 1;
	for (size_t n = 0; n < 3; n++) {
		if ((*s & forms[n].mask) != forms[n].lead || *s < forms[n].low || *s > 0xf4)
			continue;
		for (size_t i = 1; i <= n + 1; i++)
			if ((s[i] & 0xc0) != 0x80)
				return 0;
		/* overlong, surrogates, beyond U+10FFFF */
		if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
		    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
			return 0;
		return n + 2;
	}
	return 0;
}

size_t fl_report_control(const char *text)
{
	unsigned char c = (unsigned char)text[0], d = c == 0xc2 ? (unsigned char)text[1] : 0;

	return c < 0x20 || c == 0x7f ? 1 : d >= 0x80 && d < 0xa0 ? 2 : 0;
}

/* Bytes of the character at @text, and whether it may be shown: valid UTF-8 and visible. */
static size_t next_character(const char *text, bool *ret_shown)
{
	size_t n = fl_report_utf8(text);

	*ret_shown = n && !fl_plain_odd(text);
	return n ? n : 1;
}

char *fl_report_clean(char *text)
{
	bool shown;

	for (size_t i = 0, n; text[i]; i += n) {
		n = next_character(text + i, &shown);
		if (!shown)
			memset(text + i, '?', n);
	}
	return text;
}

void fl_report_put_clean(FILE *out, const char *text, size_t len)
{
	bool shown;

	for (size_t i = 0, n; i < len; i += n) {
		n = next_character(text + i, &shown);
		if (shown && n <= len - i)
			fwrite(text + i, 1, n, out);
		else
			putc('?', out);
	}
}

/* Columns a UTF-8 text takes, every character one: enough to break lines. */
static unsigned columns_of(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void fl_report_paragraph(const struct fl_report *r, enum fl_style style, unsigned indent,
			 const char *text)
{
	unsigned at = 0, width = r->width > indent + 20 ? r->width - indent : 0;

	fprintf(r->out, "%*s%s", (int)indent, "", fl_style_start(r, style));
	while (*text) {
		size_t len = strcspn(text, " ");
		unsigned columns = columns_of(text, len);

		if (at && width && at + 1 + columns > width) {
			fprintf(r->out, "\n%*s", (int)indent, "");
			at = 0;
		} else if (at) {
			putc(' ', r->out);
			at++;
		}
		fl_report_put_clean(r->out, text, len);
		at += columns;
		text += len + (text[len] == ' ');
	}
	fprintf(r->out, "%s\n", fl_style_end(r, style));
}

enum { LONGEST_SENTENCE = 1 << 14 };

void fl_report_say(const struct fl_report *r, enum fl_style style, unsigned indent,
		   const char *format, ...)
{
	char text[LONGEST_SENTENCE]; /* on the stack: printing a sentence cannot fail */
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= (int)sizeof(text)) /* longer than any text for people */
		strcpy(text + sizeof(text) - 4, "...");
	fl_report_paragraph(r, style, indent, text);
}

static void say_notices(const struct fl_report *r, enum fl_notice_kind kind, const char *title)
{
	enum { SHOWN = 10 };
	const struct fl_model *m = r->model;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_notices; i++) {
		const struct fl_notice *notice = &m->notices[i];

		if (notice->kind != kind)
			continue;
		if (n++ == 0)
			fl_report_say(r, FL_STYLE_WARN, 0, "%s", title);
		if (n <= SHOWN)
			fl_report_say(r, FL_STYLE_PLAIN, 2, "%s (%s:%u): %s",
				      fl_model_text(m, notice->subject),
				      fl_model_file(m, notice->place), notice->place.line,
				      fl_model_text(m, notice->text));
	}
	if (n > SHOWN)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "and %u more; 'fairlead check' lists all",
			      n - SHOWN);
	if (n)
		putc('\n', r->out);
}

void fl_report_left_out(const struct fl_report *r)
{
	say_notices(r, FL_NOTICE_UNCERTAIN,
		    "Uncertain, since these workloads hold quota, and how much cannot be read:");
	say_notices(r, FL_NOTICE_LEFT_OUT, "Left out, since a server would refuse them:");
	say_notices(r, FL_NOTICE_COUNTED,
		    "Counted as admitted, though a server would refuse them:");
}

void fl_report_warnings(const struct fl_report *r)
{
	for (uint32_t i = 0; i < r->n_warnings; i++)
		fl_report_say(r, FL_STYLE_WARN, 0, "Warning: %s", r->warnings[i]);
	if (r->n_warnings)
		putc('\n', r->out);
}

void fl_report_assumptions(const struct fl_report *r)
{
	if (!r->n_assumptions)
		return;
	fl_report_say(r, FL_STYLE_DIM, 0, "Assumed:");
	for (uint32_t i = 0; i < r->n_assumptions; i++)
		fl_report_say(r, FL_STYLE_DIM, 2, "%s", r->assumptions[i]);
}

const char *fl_report_why_inactive(const struct fl_model *m, struct fl_node n, char buffer[320])
{
	const struct fl_node_row *row = &m->nodes[n.v];

	buffer[0] = '\0';
	switch (row->inactive) {
	case FL_ACTIVE:
		break;
	case FL_INACTIVE_STOPPED:
		snprintf(buffer, 320, "stopped");
		break;
	case FL_INACTIVE_COHORT_CYCLE:
		snprintf(buffer, 320, "below a cycle of cohorts");
		break;
	case FL_INACTIVE_FLAVOR_NOT_FOUND:
		snprintf(buffer, 320, "flavor '%s' does not exist",
			 fl_model_text(m, row->missing_flavor));
		break;
	case FL_INACTIVE_PARENT_NOT_FOUND:
		snprintf(buffer, 320, "a queue above it does not exist");
		break;
	}
	return buffer;
}
