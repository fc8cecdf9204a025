/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams as one: in their order as far as a record of it goes, every byte once whatever it has. */
#include <fcntl.h>

#include "daemon/api/job/streams.h"
#include "folder.h"
#include "record/order.h"

enum { MOST = 4096 };

struct world {
	struct folder folder;
	struct fl_streams streams;
	char text[MOST]; /* what came: bytes of standard error as capitals */
	size_t len;
};

static const char *const names[] = { "out", "err", "order" };

static int open_one(void *user, enum fl_stream stream)
{
	const struct world *w = user;

	return open(folder_path(&w->folder, names[stream]), O_RDONLY | O_CLOEXEC);
}

static void begin(struct world *w)
{
	folder_make(&w->folder);
	w->len = 0;
	fl_streams_init(&w->streams, open_one, w);
}

static void end(struct world *w)
{
	fl_streams_done(&w->streams);
	folder_gone(&w->folder);
}

static void append(const struct world *w, enum fl_stream stream, const void *bytes, size_t n)
{
	int fd = open(folder_path(&w->folder, names[stream]), O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* Takes what there is, @most bytes at a time. */
static void take(struct world *w, uint64_t most)
{
	struct fl_streams_run run;

	while (fl_streams_next(&w->streams, &run)) {
		uint64_t n = run.n < most ? run.n : most;

		assert_true(w->len + n < MOST);
		assert_int_equal(
			pread(w->streams.fds[run.stream], w->text + w->len, n, (off_t)run.at), n);
		for (uint64_t i = 0; i < n && run.stream == FL_STREAM_ERR; i++)
			w->text[w->len + i] = (char)(w->text[w->len + i] - 'a' + 'A');
		w->len += n;
		fl_streams_took(&w->streams, &run, n);
	}
	w->text[w->len] = 0;
	assert_int_equal(fl_streams_left(&w->streams), 0);
}

/* As fl_order_piece makes them. */
#define OUT(n) (2 * UINT64_C(n))
#define ERR(n) (2 * UINT64_C(n) + 1)

TEST(in_order)
{
	static const struct {
		const char *out, *err;
		uint64_t order[6];
		unsigned n;
		const char *want;
	} rows[] = {
		{ "", "", { 0 }, 0, "" },
		{ "abc", "", { 0 }, 0, "abc" },
		{ "", "abc", { 0 }, 0, "ABC" },
		{ "abc", "xyz", { OUT(3) }, 1, "abcXYZ" },
		{ "abc", "xyz", { ERR(3) }, 1, "XYZabc" },
		{ "abc", "xyz", { OUT(1), ERR(2), OUT(3) }, 3, "aXYbcZ" },
		{ "abc", "xyz", { OUT(1), ERR(1), OUT(2), ERR(2), OUT(3) }, 5, "aXbYcZ" },
		/* It ends early: standard output first. */
		{ "abc", "xyz", { OUT(1) }, 1, "abcXYZ" },
		{ "abc", "xyz", { ERR(1) }, 1, "XabcYZ" },
		/* Not as it is written: nothing behind it is believed. */
		{ "abc", "xyz", { OUT(2), OUT(1), ERR(3) }, 3, "abcXYZ" },
		{ "abc", "xyz", { ERR(1), OUT(4), ERR(3) }, 3, "XabcYZ" },
		{ "abc", "xyz", { UINT64_MAX }, 1, "abcXYZ" },
		{ "abc", "xyz", { 0, 0, 0, ERR(2), OUT(3) }, 5, "XYabcZ" },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (uint64_t most = 1; most < 5; most++) {
			struct world w;

			begin(&w);
			append(&w, FL_STREAM_OUT, rows[i].out, strlen(rows[i].out));
			append(&w, FL_STREAM_ERR, rows[i].err, strlen(rows[i].err));
			append(&w, FL_STREAM_ORDER, rows[i].order, rows[i].n * sizeof(uint64_t));
			append(&w, FL_STREAM_ORDER, "cut", most - 1); /* half a number */
			take(&w, most);
			assert_string_equal(w.text, rows[i].want);
			end(&w);
		}
}

/* As a runner writes, with a reader at any moment. */
TEST(while_it_grows)
{
	srand(7);
	for (int round = 0; round < 200; round++) {
		char want[MOST] = "";
		uint64_t written[2] = { 0 };
		unsigned last = 0;
		struct world w;

		begin(&w);
		for (int i = 0; i < 100; i++) {
			unsigned stream = (unsigned)rand() % 2;
			char byte = (char)('a' + i % 26), as[2] = { 0 };

			if (stream != last && written[last] > 0) {
				uint64_t piece = fl_order_piece(last, written[last]);

				append(&w, FL_STREAM_ORDER, &piece, sizeof piece);
				if (rand() % 4 == 0)
					take(&w, 3);
			}
			last = stream;
			append(&w, (enum fl_stream)stream, &byte, 1);
			written[stream]++;
			as[0] = stream ? (char)(byte - 'a' + 'A') : byte;
			strcat(want, as);
			if (rand() % 4 == 0)
				take(&w, 3);
		}
		take(&w, 1000);
		assert_string_equal(w.text, want);
		end(&w);
	}
}

/* Whatever a damaged record has: each byte once, and those of a stream in their order. */
TEST(damaged)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";

	srand(11);
	for (int round = 0; round < 500; round++) {
		uint64_t order[64];
		char own[2][64] = { "", "" };
		struct world w;

		for (int i = 0; i < 64; i++)
			order[i] = (uint64_t)rand() % (round % 2 ? 60 : 400);
		begin(&w);
		append(&w, FL_STREAM_OUT, text, 26);
		append(&w, FL_STREAM_ERR, text, 26);
		append(&w, FL_STREAM_ORDER, order, sizeof order);
		take(&w, 5);
		assert_int_equal(w.len, 52);
		for (size_t i = 0; i < w.len; i++) {
			bool err = w.text[i] < 'a';
			char byte = err ? (char)(w.text[i] - 'A' + 'a') : w.text[i];

			strcat(own[err], (char[2]){ byte });
		}
		assert_string_equal(own[0], text);
		assert_string_equal(own[1], text);
		end(&w);
	}
}

UNIT_GROUP("streams")
