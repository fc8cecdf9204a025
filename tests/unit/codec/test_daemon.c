/* SPDX-License-Identifier: Apache-2.0 */
/* The Daemon document: what is refused, where and with which words, and what becomes of it. */
#include "lib/fail_mem.h"
#include "load.h"

#define HEAD "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: lab}\nspec:\n  "
#define CHECK_TEXT(is, wanted, row)                                                                \
	do {                                                                                       \
		if (strcmp((is), (wanted)) != 0)                                                   \
			fail_msg("row '%s': '%s', not '%s'", (row), (is), (wanted));               \
	} while (0)
#define FLAVORS(list) "machine: {flavors: [" list "]}"

TEST(refused)
{
	static const struct {
		const char *spec, *subject, *text, *hint;
		uint32_t column;
	} rows[] = {
		{ "stat: /x", ".spec.stat", "unknown field 'stat'", "did you mean 'state'?", 9 },
		{ "state: x", ".spec.state", "'x' is not an absolute path",
		  "a path must begin with '/'", 10 },
		{ "state: ''", ".spec.state", "is empty", "", 10 },
		{ "backups: x", ".spec.backups", "'x' is not an absolute path",
		  "a path must begin with '/'", 12 },
		{ "state: 7", ".spec.state", "expected a string, not a number", "put it in quotes",
		  10 },
		{ "tree: a.yaml", ".spec.tree", "expected a list, not a string", "", 9 },
		{ "tree: ['']", ".spec.tree[0]", "is empty", "", 10 },
		{ "socket: {path: run}", ".spec.socket.path", "'run' is not an absolute path",
		  "a path must begin with '/'", 18 },
		{ "socket: {path: /"
		  "0123456789012345678901234567890123456789012345678901234567890123456789"
		  "0123456789012345678901234567890123456789}",
		  ".spec.socket.path", "is longer than 107 bytes", "", 18 },
		{ "socket: {mode: 0666}", ".spec.socket.mode",
		  "expected four octal digits in quotes",
		  "\"0666\" for all users, \"0660\" for a group", 18 },
		{ "socket: {mode: '0868'}", ".spec.socket.mode",
		  "expected four octal digits in quotes", NULL, 18 },
		{ "socket: {mode: '1777'}", ".spec.socket.mode",
		  "expected four octal digits in quotes", NULL, 18 },
		{ "backend: lokal", ".spec.backend", "'lokal' is none of local",
		  "did you mean 'local'?", 12 },

		{ "machine: {cgroup: on}", ".spec.machine.cgroup",
		  "'on' is none of auto, off, required", "", 21 },
		{ "machine: {name: ''}", ".spec.machine.name", "is empty", "", 19 },
		{ "machine: {cohort: ''}", ".spec.machine.cohort", "is empty", "", 21 },
		{ "machine: {reserved: {cpu: auto}}", ".spec.machine.reserved.cpu",
		  "'auto' is not a quantity", NULL, 29 },
		{ "machine: {reserved: {cpu: 10E}}", ".spec.machine.reserved.cpu",
		  "the amount is too large", "", 29 },
		{ "machine: {reserved: {'': 1}}", ".spec.machine.reserved.",
		  "the name of a resource has 1 to 63 bytes", "", 28 },
		{ FLAVORS("{}"), ".spec.machine.flavors[0]", "no name", "", 23 },
		{ FLAVORS("{name: ''}"), ".spec.machine.flavors[0].name", "is empty", "", 30 },
		{ FLAVORS("{name: a, resources: {}}"), ".spec.machine.flavors[0].resources",
		  "an empty map: remove it to use all that is detected", "", 44 },
		{ FLAVORS("{name: a, resources: {cpu: some}}"),
		  ".spec.machine.flavors[0].resources.cpu", "'some' is not a quantity",
		  "an amount, or auto for the detected amount", 50 },
		{ FLAVORS("{name: a, resources: {cpu: -1}}"),
		  ".spec.machine.flavors[0].resources.cpu", "the quantity '-1' is negative", NULL,
		  50 },
		{ FLAVORS("{name: a, resources: {cpu: 1}}, {name: a, resources: {cpu: 1}}"),
		  ".spec.machine.flavors[1].name", "flavors[0] has the name 'a', too", "", 62 },
		{ FLAVORS("{name: a, devices: {numbers: [0]}}"), ".spec.machine.flavors[0].devices",
		  "no resource", "", 42 },
		{ FLAVORS("{name: a, devices: {resource: gpu, numbers: []}}"),
		  ".spec.machine.flavors[0].devices.numbers",
		  "an empty list: remove it to use the detected devices", "", 67 },
		{ FLAVORS("{name: a, devices: {resource: gpu, numbers: [-1]}}"),
		  ".spec.machine.flavors[0].devices.numbers[0]",
		  "expected a number from 0 to 65536", "", 68 },
		{ FLAVORS("{name: a, devices: {resource: gpu, numbers: [1, 1]}}"),
		  ".spec.machine.flavors[0]", "device 1 of 'gpu' is listed twice", "", 23 },
		{ FLAVORS("{name: a, resources: {cpu: 1}, devices: {resource: gpu}}"),
		  ".spec.machine.flavors[0]",
		  "'devices' names 'gpu', which is not in its resources", "add 'gpu: auto' to them",
		  23 },
		{ FLAVORS("{name: a, resources: {gpu: 3}, devices: {resource: gpu, numbers: [0]}}"),
		  ".spec.machine.flavors[0]", "3 of 'gpu', but 1 numbers of devices",
		  "write auto: the amount is then the number of devices in the list", 50 },
		{ FLAVORS("{name: a, resources: {gpu: auto}, devices: {resource: gpu, numbers: "
			  "[0]}}, {name: b, resources: {gpu: auto}, devices: {resource: gpu, "
			  "numbers: [1, 0]}}"),
		  ".spec.machine.flavors[1]", "device 0 of 'gpu' is listed twice", "", 98 },
		{ FLAVORS("{name: a}, {name: b, resources: {cpu: 1}}"), ".spec.machine.flavors[0]",
		  "a flavor without resources, and there are other flavors",
		  "only a single flavor can have all that is detected", 23 },
		{ FLAVORS("{name: a, resources: {cpu: auto}}, {name: b, resources: {cpu: auto}}"),
		  ".spec.machine.flavors[1]",
		  "'cpu' is auto in flavors[0], too, but only one flavor can have it",
		  "give an amount for each", 85 },

		{ "jobs: {grace: soon}", ".spec.jobs.grace", "'soon' is not a length of time", NULL,
		  17 },
		{ "jobs: {timeLimit: 0s}", ".spec.jobs.timeLimit", "expected more than 0", "", 21 },
		{ "jobs: {timeLimit: 2h, maxTimeLimit: 1h}", ".spec.jobs",
		  "'timeLimit' is more than 'maxTimeLimit'", "", 9 },
		{ "jobs: {grace: 2m, maxGrace: 1m}", ".spec.jobs",
		  "'grace' is more than 'maxGrace'", "", 9 },
		{ "jobs: {maxGrace: 1s}", ".spec.jobs", "'grace' is more than 'maxGrace'", "", 9 },
		{ "jobs: {maxPriority: high}", ".spec.jobs.maxPriority",
		  "expected a whole number, not a string", "", 23 },
		{ "jobs: {maxPriority: 99999999999}", ".spec.jobs.maxPriority",
		  "99999999999 does not fit 32 bits", "", 23 },
		{ "jobs: {outputLimit: 0}", ".spec.jobs.outputLimit",
		  "expected a number of bytes above 0", "", 23 },
		{ "jobs: {losses: 0}", ".spec.jobs.losses", "expected a number from 1 to 1000", "",
		  18 },
		{ "keep: {history: 3d, tiers: {hour: 9d, exact: 3d}}", ".spec.keep.tiers.exact",
		  "both 'history' and 'tiers.exact'",
		  "'history' is the older name of 'tiers.exact': remove one of them", 48 },
		{ "keep: {events: 30}", ".spec.keep.events", "'30' is not a length of time",
		  "write it with a unit, for example 10s, 5m or 30d", 18 },
		{ "limits: {jobs: 0}", ".spec.limits.jobs", "expected a number from 1 to 16777216",
		  "", 18 },
		{ "limits: {connections: 100000}", ".spec.limits.connections",
		  "expected a number from 1 to 65536", "", 25 },
		{ "limits: {requestsPerSecond: -1}", ".spec.limits.requestsPerSecond",
		  "expected a number from 0 to 2147483647", "", 31 },
		{ "limits: {bodyBytes: 100}", ".spec.limits.bodyBytes", "expected 1Ki to 64Mi", "",
		  23 },
		{ "limits: {simulationBytes: 1Ki}", ".spec.limits.simulationBytes",
		  "expected 1Mi or more", "", 29 },
		{ "metrics: {queues: 10001}", ".spec.metrics.queues",
		  "expected a number from 0 to 10000", "", 21 },
		{ "cycleInterval: 0s", ".spec.cycleInterval", "expected more than 0", "", 18 },

		{ "listen: [{}]", ".spec.listen[0]", "no address", "", 12 },
		{ "listen: [{address: '::1:80'}]", ".spec.listen[0].address",
		  "'::1:80' is not an address with a port",
		  "for example 127.0.0.1:8450, '[::]:8450' or localhost:8450", 22 },
		{ "listen: [{address: 127.0.0.1}]", ".spec.listen[0].address",
		  "'127.0.0.1' is not an address with a port", NULL, 22 },
		{ "listen: [{address: ':80'}]", ".spec.listen[0].address",
		  "':80' is not an address with a port", NULL, 22 },
		{ "listen: [{address: 'a:65536'}]", ".spec.listen[0].address",
		  "'a:65536' is not an address with a port", NULL, 22 },
		{ "listen: [{address: 'a:8x'}]", ".spec.listen[0].address",
		  "'a:8x' is not an address with a port", NULL, 22 },
		{ "listen: [{address: '[a]b:80'}]", ".spec.listen[0].address",
		  "'[a]b:80' is not an address with a port", NULL, 22 },
		{ "listen: [{address: '[name]:80'}]", ".spec.listen[0].address",
		  "'[name]:80' is not an address with a port", NULL, 22 },
		{ "listen: [{address: 'a:80', tls: {}}]", ".spec.listen[0].tls",
		  "it says no certificate", "either certificate and key, or selfSigned: true", 35 },
		{ "listen: [{address: 'a:80', tls: {key: /k}}]", ".spec.listen[0].tls",
		  "'certificate' is missing", "a certificate has a file and its key another one",
		  35 },
		{ "listen: [{address: 'a:80', tls: {certificate: /c}}]", ".spec.listen[0].tls",
		  "'key' is missing", "a certificate has a file and its key another one", 35 },
		{ "listen: [{address: 'a:80', tls: {certificate: c, key: /k}}]",
		  ".spec.listen[0].tls.certificate", "'c' is not an absolute path",
		  "a path must begin with '/'", 49 },
		{ "listen: [{address: 'a:80', tls: {certificate: /c, key: /k, selfSigned: true}}]",
		  ".spec.listen[0].tls", "a certificate from a file is not made by the daemon",
		  "either certificate and key, or selfSigned: true", 35 },
		{ "listen: [{address: 'a:80', serves: {api: open}}]", ".spec.listen[0].serves.api",
		  "'open' is none of off, token", "", 44 },
		{ "listen: [{address: 'a:80', serves: {metrics: off}}]", ".spec.listen[0].serves",
		  "nothing is served", "", 38 },
		{ "listen: [{address: 'a:80'}, {address: 'a:80'}]", ".spec.listen[1].address",
		  "this address has two entries", "", 41 },
		{ "listen: [{address: 'a:80', names: ['']}]", ".spec.listen[0].names[0]",
		  "is empty", "", 38 },
		{ "limits: {handshakesPerSecond: 0}", ".spec.limits.handshakesPerSecond",
		  "expected a number from 1 to 2147483647", "", 33 },
		{ "access: {admins: {}}", ".spec.access.admins", "names neither users nor groups",
		  "", 20 },
		{ "access: {admins: {users: []}}", ".spec.access.admins.users",
		  "an empty list names no user", "", 28 },
		{ "access: {admins: {users: ['']}}", ".spec.access.admins.users[0]",
		  "expected a name of 1 to 63 bytes", "", 29 },
		{ "access: {queues: [{users: [a]}]}", ".spec.access.queues[0]", "no queue", "",
		  21 },
		{ "access: {queues: [{queue: ''}]}", ".spec.access.queues[0].queue", "is empty", "",
		  29 },
		{ "access: {queues: [{queue: a}, {queue: a}]}", ".spec.access.queues[1].queue",
		  "queue 'a' has two entries", "", 41 },
		{ "access: {others: maybe}", ".spec.access.others",
		  "'maybe' is none of deny, allow", "", 20 },
		{ "access: {withoutAccount: yes}", ".spec.access.withoutAccount",
		  "'yes' is none of deny, allow", "", 28 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[1024], subject[400];
		fairlead_error err;

		(void)snprintf(text, sizeof text, HEAD "%s\n", rows[i].spec);
		(void)snprintf(subject, sizeof subject, "Daemon/lab %s", rows[i].subject);
		CHECK(load_open(&fl_mem_heap, text, &err) == NULL, rows[i].spec);
		CHECK_TEXT(err.text, rows[i].text, rows[i].spec);
		CHECK_TEXT(err.subject, subject, rows[i].spec);
		if (err.line != 5 || err.column != rows[i].column)
			fail_msg("row '%s': %u:%u", rows[i].spec, err.line, err.column);
		if (rows[i].hint)
			CHECK_TEXT(err.hint, rows[i].hint, rows[i].spec);
	}
}

TEST(too_many)
{
	char text[8192] = HEAD "machine: {reserved: {", entry[32];
	fairlead_error err;

	for (int i = 0; i < 65; i++) {
		(void)snprintf(entry, sizeof entry, "r%d: 1, ", i);
		strcat(text, entry);
	}
	strcat(text, "}}\n");
	assert_null(load_open(&fl_mem_heap, text, &err));
	assert_string_equal(err.text, "more than 64 resources");

	strcpy(text, HEAD "machine: {flavors: [");
	for (int i = 0; i < 65; i++) {
		(void)snprintf(entry, sizeof entry, "{name: f%d}, ", i);
		strcat(text, entry);
	}
	strcat(text, "]}\n");
	assert_null(load_open(&fl_mem_heap, text, &err));
	assert_string_equal(err.text, "more than 64 flavors");
}

TEST(second)
{
	fairlead_error err;

	assert_null(load_open(&fl_mem_heap, HEAD "\n---\n" HEAD "\n", &err));
	assert_string_equal(err.text, "a second Daemon");
	assert_string_equal(err.hint, "the first is at in:1:1");
}

static void assert_sym(const struct fl_model *m, struct fl_sym sym, const char *text)
{
	assert_string_equal(fl_model_text(m, sym), text);
}

/* All that can be said. */
TEST(whole)
{
	struct fl_model *m = load(
		HEAD "tree: [company.yaml, /etc/more]\n"
		     "  state: /var/lib/fairlead\n"
		     "  socket: {path: /run/fairlead.sock, mode: '0660'}\n"
		     "  listen:\n"
		     "  - {address: '[::]:8450', tls: {selfSigned: true}, names: [a, b]}\n"
		     "  - address: localhost:0\n"
		     "    tls: {certificate: /c, key: /k}\n"
		     "    serves: {api: off, metrics: open, usage: open}\n"
		     "  - {address: '0.0.0.0:1', tls: null}\n"
		     "  backend: local\n"
		     "  machine:\n"
		     "    name: big\n"
		     "    cohort: company\n"
		     "    flavors:\n"
		     "    - {name: cpu, resources: {cpu: auto, memory: 4Gi}}\n"
		     "    - {devices: {resource: nvidia.com/gpu, numbers: [2, 3]},\n"
		     "       resources: {nvidia.com/gpu: auto}, name: a100}\n"
		     "    reserved: {cpu: 500m}\n"
		     "    cgroup: required\n"
		     "  jobs: {grace: 0s, maxGrace: 1h, timeLimit: 1h, maxTimeLimit: 7d,\n"
		     "         outputLimit: 1Ki, maxPriority: -5, losses: 1}\n"
		     "  keep: {jobs: 1d, events: 2d, history: 3d}\n"
		     "  limits: {jobs: 1, jobsPerUser: 2, jobsPerQueue: 3, connections: 4,\n"
		     "           bodyBytes: 1Ki, requestsPerSecond: 0, simulationBytes: 2Mi}\n"
		     "  metrics: {queues: 10}\n"
		     "  access:\n"
		     "    admins: {users: [alice, 1000], groups: [wheel]}\n"
		     "    queues: [{queue: team-a, groups: [a]}, {queue: ns/b}]\n"
		     "    others: deny\n"
		     "    withoutAccount: allow\n"
		     "  cycleInterval: 1s\n");
	const struct fl_daemon_settings *d = &m->daemon;
	const struct fl_daemon_flavor_row *f = &m->daemon_flavors[d->flavors.first];
	const struct fl_daemon_access_row *a = m->daemon_access;
	const struct fl_daemon_listen_row *l = m->daemon_listens;
	const fl_time hour = 3600 * FL_SECOND;

	assert_true(d->present);
	assert_sym(m, d->name, "lab");
	assert_int_equal(d->trees.n, 2);
	assert_sym(m, m->daemon_trees[d->trees.first + 1].file, "/etc/more");
	assert_sym(m, d->state, "/var/lib/fairlead");
	assert_sym(m, d->socket, "/run/fairlead.sock");
	assert_int_equal(d->socket_mode, 0660);
	assert_sym(m, d->backend, "local");
	assert_sym(m, d->machine_name, "big");
	assert_sym(m, d->cohort, "company");
	assert_int_equal(d->flavors.n, 2);
	assert_int_equal(f[0].resources.n, 2);
	assert_true(m->daemon_resources[f[0].resources.first].amount == FL_NO_LIMIT);
	assert_true(m->daemon_resources[f[0].resources.first + 1].amount == INT64_C(4) << 30);
	assert_int_equal(f[0].device.v, 0);
	assert_sym(m, f[1].name, "a100");
	assert_sym(m, m->daemon_resources[f[1].resources.first].flavor_name, "a100");
	assert_sym(m, f[1].device, "nvidia.com/gpu");
	assert_int_equal(f[1].devices.n, 2);
	assert_int_equal(m->daemon_devices[f[1].devices.first + 1], 3);
	assert_int_equal(d->reserved.n, 1);
	assert_int_equal(m->daemon_resources[d->reserved.first].amount, 500);
	assert_int_equal(d->cgroup, FL_CGROUP_REQUIRED);
	assert_true(d->grace == 0 && d->time_limit == hour && d->max_time_limit == 168 * hour);
	assert_true(d->max_grace == hour && d->max_priority == -5);
	assert_true(d->output_limit == 1024 && d->losses == 1);
	assert_true(d->keep_jobs == 24 * hour && d->keep_events == 48 * hour &&
		    d->keep_exact == 72 * hour);
	assert_true(d->max_jobs == 1 && d->max_jobs_per_user == 2 && d->max_jobs_per_queue == 3);
	assert_true(d->max_connections == 4 && d->max_body == 1024 && d->max_requests == 0);
	assert_int_equal(d->metrics_queues, 10);
	assert_int_equal(d->max_simulation, 2 << 20);
	assert_int_equal(d->listens.n, 3);
	assert_sym(m, l[0].host, "::");
	assert_true(l[0].port == 8450 && l[0].tls && l[0].certificate.v == 0 && l[0].probe);
	assert_true(l[0].api == FL_SERVES_TOKEN && l[0].metrics == FL_SERVES_OFF);
	assert_sym(m, m->syms[l[0].names.first + 1], "b");
	assert_sym(m, l[1].host, "localhost");
	assert_sym(m, l[1].key, "/k");
	assert_true(l[1].api == FL_SERVES_OFF && l[1].metrics == FL_SERVES_OPEN && !l[1].probe);
	assert_true(l[1].usage && l[1].tls && !l[2].tls && !l[2].usage);
	assert_int_equal(m->n_daemon_access, 3);
	assert_int_equal(a[0].queue_name.v, FL_NONE);
	assert_sym(m, m->syms[a[0].users.first + 1], "1000");
	assert_sym(m, m->syms[a[0].groups.first], "wheel");
	assert_sym(m, a[1].queue_name, "team-a");
	assert_true(a[1].users.n == 0 && a[1].groups.n == 1);
	assert_true(a[2].users.n == 0 && a[2].groups.n == 0);
	assert_true(!d->open && d->without_account);
	assert_true(d->cycle_interval == FL_SECOND);
	fl_model_free(m);
}

/* What is not said is as by default; and a limit for all is one for those who do not say. */
TEST(defaults)
{
	struct fl_model *m = load(HEAD "jobs: {maxTimeLimit: 1h}\n");

	assert_true(m->daemon.time_limit == 3600 * FL_SECOND);
	assert_true(m->daemon.grace == fl_daemon_default.grace);
	assert_true(m->daemon.max_grace == fl_daemon_default.max_grace);
	assert_true(m->daemon.max_priority == INT32_MAX);
	assert_true(m->daemon.open);
	fl_model_free(m);
	m = load(HEAD "jobs: {grace: 1h}\n");
	assert_true(m->daemon.max_grace == 3600 * FL_SECOND);
	fl_model_free(m);
	m = load("apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: lab}\n");
	assert_true(m->daemon.present);
	assert_true(m->daemon.max_jobs == fl_daemon_default.max_jobs);
	fl_model_free(m);
}

/* A copy has all of it. */
TEST(copied)
{
	struct fl_model *m = load(HEAD "tree: [a]\n  state: /s\n"), *copy = NULL;
	fairlead_error err;

	assert_int_equal(fl_model_copy(m, &fl_mem_heap, &copy, &err), 0);
	fl_model_free(m);
	assert_true(copy->sealed && copy->daemon.present);
	assert_sym(copy, copy->daemon.state, "/s");
	assert_sym(copy, copy->daemon_trees[0].file, "a");
	fl_model_free(copy);
}

/* Any allocation may fail: nothing is left then. */
TEST(copied_without_memory)
{
	struct fl_model *m = load(HEAD "tree: [a]\n  access: {admins: {users: [a]}}\n"),
			*copy = NULL;
	int r = FAIRLEAD_ENOMEM;

	for (unsigned long n = 1; r < 0; n++) {
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		r = fl_model_copy(m, &f.mem, &copy, &err);
		assert_true(r == 0 || (r == FAIRLEAD_ENOMEM && f.live == 0));
		assert_true(n < 100);
		if (r == 0)
			copy = fl_model_free(copy);
		assert_int_equal(f.live, 0);
	}
	fl_model_free(m);
}

UNIT_GROUP("daemon")
