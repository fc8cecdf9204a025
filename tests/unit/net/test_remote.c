/* SPDX-License-Identifier: Apache-2.0 */
#include "net/remote.h"

#include "lib/unit.h"

TEST(urls)
{
	static const struct {
		const char *text, *url, *host;
	} rows[] = {
		{ "https://host.example:8450", "https://host.example:8450", "host.example" },
		{ "HTTPS://Host.Example:8450/", "https://host.example:8450", "host.example" },
		{ "https://h", "https://h", "h" },
		{ "https://h:443", "https://h", "h" },
		{ "https://h:80", "https://h:80", "h" },
		{ "https://h:00443", "https://h", "h" },
		{ "https://192.0.2.1:65535", "https://192.0.2.1:65535", "192.0.2.1" },
		{ "https://[2001:DB8::0:1]:8450", "https://[2001:db8::1]:8450", "2001:db8::1" },
		{ "http://127.0.0.1:80", "http://127.0.0.1", "127.0.0.1" },
		{ "http://127.9.8.7:8450", "http://127.9.8.7:8450", "127.9.8.7" },
		{ "http://LocalHost:8450", "http://localhost:8450", "localhost" },
		{ "http://[0:0:0:0:0:0:0:1]:443", "http://[::1]:443", "::1" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char url[FL_REMOTE_URL], host[FL_REMOTE_HOST + 1];

		CHECK(fl_remote_url(rows[i].text, url, NULL) == 0, rows[i].text);
		assert_string_equal(url, rows[i].url);
		fl_remote_host(url, host);
		assert_string_equal(host, rows[i].host);
	}
}

/* Longest host and port fit; a byte more is refused. */
TEST(longest_url)
{
	char text[400] = "https://", url[FL_REMOTE_URL];

	memset(text + 8, 'a', FL_REMOTE_HOST);
	strcpy(text + 8 + FL_REMOTE_HOST, ":65535");
	assert_int_equal(fl_remote_url(text, url, NULL), 0);
	assert_string_equal(url, text);
	memset(text + 8, 'a', FL_REMOTE_HOST + 1);
	strcpy(text + 8 + FL_REMOTE_HOST + 1, ":65535");
	assert_int_equal(fl_remote_url(text, url, NULL), FAIRLEAD_EINPUT);
}

/* Those that the command's tests do not have: a name that begins like one of this machine. */
TEST(other_machines_without_tls)
{
	static const char *const rows[] = { "http://127.0.0.1.example", "http://localhostx",
					    "http://[::ffff:127.0.0.1]", "http://0", "http://x" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		char url[FL_REMOTE_URL];

		CHECK(fl_remote_url(rows[i], url, NULL) == FAIRLEAD_EINPUT, rows[i]);
	}
}

UNIT_GROUP("remote")
