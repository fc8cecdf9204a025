/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"
#include "net/certificate.h"
#include "net/certificate_make.h"

struct files {
	char folder[64], chain[96], key[96], line[2000];
	unsigned lines;
};

static void warn(void *user, const char *line)
{
	struct files *f = user;

	f->lines++;
	snprintf(f->line, sizeof f->line, "%s", line);
}

static int make_for(const struct files *f, const char *const *names, uint32_t n)
{
	fairlead_error err = { 0 };
	int r = fl_certificate_make(&(struct fl_certificate_wish){ f->chain, f->key, names, n },
				    &err);

	if (r < 0)
		fail_msg("%s", err.text);
	return r;
}

static int make(const struct files *f)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "::1" };

	return make_for(f, names, 3);
}

static void begin(struct files *f)
{
	*f = (struct files){ .folder = "/tmp/fairlead-cert-XXXXXX" };
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->chain, sizeof f->chain, "%s/chain.pem", f->folder);
	snprintf(f->key, sizeof f->key, "%s/key.pem", f->folder);
	assert_int_equal(make(f), FL_CERTIFICATE_NEW);
}

static void end(const struct files *f)
{
	unlink(f->chain);
	unlink(f->key);
	assert_int_equal(rmdir(f->folder), 0);
}

static struct fl_certificate *open_it(struct files *f)
{
	struct fl_certificate *c = NULL;
	fairlead_error err = { 0 };

	if (fl_certificate_open(&(struct fl_certificate_files){ f->chain, f->key, warn, f }, &c,
				&err) != 0)
		fail_msg("%s", err.text);
	return c;
}

/* It is made once, for its owner's eyes, and never again while it is there. */
TEST(made)
{
	struct files f;
	struct stat s;
	char first[FL_FINGERPRINT];

	begin(&f);
	assert_int_equal(stat(f.key, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);

	struct fl_certificate *c = open_it(&f);

	assert_int_equal(f.lines, 0);
	assert_int_equal(strlen(fl_certificate_fingerprint(c)), 95);
	strcpy(first, fl_certificate_fingerprint(c));
	fl_certificate_free(c);
	assert_int_equal(make(&f), 0);
	c = open_it(&f);
	assert_string_equal(fl_certificate_fingerprint(c), first);
	fl_certificate_free(c);
	end(&f);
}

static void read_text(const char *path, char *ret, size_t room)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	ret[fread(ret, 1, room - 1, file)] = '\0';
	fclose(file);
}

/* A name that it lacks, and only that, has it made again, with the key that clients may know. */
TEST(made_again)
{
	static const struct {
		const char *names[3];
		uint32_t n;
		int made;
	} rows[] = {
		{ { "127.0.0.1", "localhost" }, 2, 0 },
		{ { "localhost", "lab.example" }, 2, FL_CERTIFICATE_AGAIN },
		{ { "lab.example" }, 1, 0 },
		{ { "lab.example.org" }, 1, FL_CERTIFICATE_AGAIN },
		{ { "LAB.example.org" }, 1, FL_CERTIFICATE_AGAIN },
		{ { "192.0.2.7", "2001:db8::7" }, 2, FL_CERTIFICATE_AGAIN },
		{ { "2001:db8:0::7", "192.0.2.7" }, 2, 0 },
		{ { "192.0.2.8" }, 1, FL_CERTIFICATE_AGAIN },
	};
	struct files f;
	char key[8192], now[8192];
	struct fl_certificate *c;

	begin(&f);
	read_text(f.key, key, sizeof key);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (make_for(&f, rows[i].names, rows[i].n) != rows[i].made)
			fail_msg("row %zu", i);
		assert_int_equal(make_for(&f, rows[i].names, rows[i].n), 0);
		c = open_it(&f);
		fl_certificate_free(c);
	}
	/* Without a certificate, too, the key stays. */
	unlink(f.chain);
	assert_int_equal(make(&f), FL_CERTIFICATE_NEW);
	read_text(f.key, now, sizeof now);
	assert_string_equal(now, key);
	end(&f);
}

/* What cannot be read is left as it is: a broken certificate to whoever opens it, a broken key is told. */
TEST(not_replaced)
{
	static const char *const names[] = { "lab.example" };
	struct files f;
	fairlead_error err = { 0 };
	char now[64];

	begin(&f);
	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(i ? f.key : f.chain, "w");

		assert_non_null(file);
		fputs("nonsense\n", file);
		fclose(file);
		assert_int_equal(fl_certificate_make(&(struct fl_certificate_wish){ f.chain, f.key,
										    names, 1 },
						     &err),
				 i ? FAIRLEAD_EIO : 0);
		read_text(i ? f.key : f.chain, now, sizeof now);
		assert_string_equal(now, "nonsense\n");
	}
	assert_non_null(strstr(err.text, "cannot make a certificate: "));
	assert_string_equal(err.subject, f.key);
	end(&f);
}

/* A connection keeps what it began with; a broken file changes nothing, and is told of once. */
TEST(replaced)
{
	struct files f;
	char first[FL_FINGERPRINT];

	begin(&f);

	struct fl_certificate *c = open_it(&f);
	struct fl_certificate_use *old = fl_certificate_take(c, 1000), *new;

	strcpy(first, fl_certificate_fingerprint(c));
	unlink(f.chain);
	unlink(f.key);
	/* Away for a moment. */
	assert_ptr_equal(fl_certificate_take(c, 3000), old);
	fl_certificate_drop(old);
	assert_int_equal(make(&f), FL_CERTIFICATE_NEW);
	/* It is not looked at more often than once a second. */
	assert_ptr_equal(fl_certificate_take(c, 3999), old);
	fl_certificate_drop(old);
	new = fl_certificate_take(c, 4000);
	assert_ptr_not_equal(new, old);
	assert_string_not_equal(fl_certificate_fingerprint(c), first);
	assert_non_null(strstr(f.line, "was read again: SHA-256 "));
	assert_non_null(fl_certificate_credentials(old));

	FILE *file = fopen(f.key, "w");

	assert_non_null(file);
	fputs("nonsense\n", file);
	fclose(file);
	f.lines = 0;
	for (uint64_t now = 6000; now < 12000; now += 1000)
		fl_certificate_drop(fl_certificate_take(c, now));
	assert_int_equal(f.lines, 1);
	assert_non_null(strstr(f.line, "the certificate from before stays in use"));
	fl_certificate_drop(new);
	assert_null(fl_certificate_free(c));
	fl_certificate_drop(old);
	end(&f);
}

UNIT_GROUP("certificate")
