/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of jobs.  The first byte says which format and policy; the rest is the file.  What is
 * refused says where; what is read has a life for each workload and can be sealed.  However
 * the bytes are cut, and after an allocation that fails, the outcome is the same.
 */
#include <string.h>

#include "base/mix.h"
#include "codec/object/kube.h"
#include "codec/trace/classes.h"
#include "codec/trace/openb.h"
#include "codec/trace/trace.h"
#include "fuzz/fuzz.h"
#include "lib/fail_mem.h"

enum { MOST_JOBS = 5000 };

struct pieces {
	const char *at, *end;
	size_t most;
};

static int next_piece(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct pieces *p = user;
	size_t left = (size_t)(p->end - p->at), n = size < p->most ? size : p->most;

	(void)err;
	*ret = left < n ? left : n;
	memcpy(buffer, p->at, *ret);
	p->at += *ret;
	return 0;
}

#define SIMULATION(source, template)                                                               \
	"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\nspec:\n"        \
	"  sources: [" source "]\n" template
#define BORROW                                                                                     \
	"  queueTemplates: [{match: '*', clusterQueue: {namespaceSelector: {}, resourceGroups: "   \
	"[{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: "    \
	"4}]}]}]}}]\n"
#define ENTITLE                                                                                    \
	"  queueTemplates: [{match: '*', queue: {resources: {cpu: {quota: -1, limit: -1}}}}]\n"
#define RULES "queues: [{users: ['1-3', '9'], to: a, priority: 3}, {to: 'q-{queue}'}]"
#define SWF "{swf: x, from: 1s, load: 2, runtime: 1.5, cancelled: true, " RULES "}"
#define OPENB "{openb: {pods: x, nodes: y}, cancelled: true, " RULES "}"

static const char
	*const objects[] = {
		SIMULATION(SWF, BORROW),
		SIMULATION(SWF, ENTITLE),
		SIMULATION(OPENB, BORROW),
		SIMULATION(OPENB, ENTITLE),
		SIMULATION(OPENB, ""), /* nodes and no pods: the tree is made */
		SIMULATION("{generator: x}", ""),
	};

enum { NODES = 4, GENERATOR = 5, FORMATS = 6 };

/* Code, place and what was made of it. */
struct outcome {
	int code;
	uint64_t hash[2];
};

static void mix_text(uint64_t h[2], const char *text)
{
	for (; *text; text++)
		fl_mix(h, (unsigned char)*text);
}

static void mix_rows(const struct fl_model *m, uint64_t h[2])
{
	fl_mix(h, m->n_workloads);
	fl_mix(h, m->n_tasks);
	fl_mix(h, m->n_machines);
	fl_mix(h, m->n_nodes);
	for (uint32_t i = 0; i < m->n_lives; i++) {
		const struct fl_life_row *life = &m->lives[i];

		ENSURE(life->workload.v == i && life->runs >= 0);
		ENSURE(life->leaves >= life->arrives);
		fl_mix(h, (uint64_t)life->arrives);
		fl_mix(h, (uint64_t)life->runs);
		mix_text(h, fl_model_text(m, m->workloads[i].name));
		mix_text(h, fl_model_text(m, m->workloads[i].queue_name));
	}
	for (uint32_t i = 0; i < m->n_notices; i++)
		mix_text(h, fl_model_text(m, m->notices[i].text));
}

static bool few(const struct fl_model *m)
{
	uint64_t jobs = 0;

	for (uint32_t i = 0; i < m->n_classes; i++)
		jobs += m->classes[i].count;
	return jobs < MOST_JOBS;
}

static int read_jobs(struct fl_model *m, unsigned format, struct pieces *pieces,
		     fairlead_error *err)
{
	const struct fl_source source = { next_piece, pieces };
	int r = format == NODES ? fl_trace_read_nodes(m, 0, "x", &source, err) :
				  fl_trace_read(m, 0, "x", &source, err);

	if (r == 0 && format == GENERATOR && few(m))
		r = fl_classes_expand(m, 0, err);
	if (r < 0)
		return r;
	r = fl_simulation_fix_times(m, err);
	return r < 0 ? r : fl_model_seal(m, err);
}

static struct outcome outcome(const struct fl_mem *mem, unsigned format, const char *text,
			      size_t size, size_t most)
{
	struct pieces pieces = { text, text + size, most };
	struct outcome o = { .code = 0 };
	fairlead_error err = { 0 };
	struct fl_model *m = NULL;

	o.code = fl_model_new(mem, &m, &err);
	if (o.code == 0)
		o.code = fl_kube_read(m, "s", objects[format], strlen(objects[format]), &err);
	if (o.code == 0)
		o.code = read_jobs(m, format, &pieces, &err);
	if (o.code == 0) {
		mix_rows(m, o.hash);
	} else {
		ENSURE(err.code == o.code && err.text[0]);
		mix_text(o.hash, err.text);
		fl_mix(o.hash, err.line);
		fl_mix(o.hash, err.column);
	}
	fl_model_free(m);
	return o;
}

static bool same(struct outcome a, struct outcome b)
{
	return a.code == b.code && a.hash[0] == b.hash[0] && a.hash[1] == b.hash[1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned format = size ? data[0] % FORMATS : 0;
	const char *text = size ? (const char *)data + 1 : "";
	size_t len = size ? size - 1 : 0;
	struct outcome whole = outcome(&fl_mem_heap, format, text, len, SIZE_MAX);
	struct fail_mem f;
	struct outcome failed;

	ENSURE(same(whole,
		    outcome(&fl_mem_heap, format, text, len, 1 + fuzz_hash(data, size) % 9)));
	fail_mem_init(&f);
	f.fail_at = 1 + fuzz_hash(data, size) / 9 % 300;
	failed = outcome(&f.mem, format, text, len, SIZE_MAX);
	ENSURE(failed.code == FAIRLEAD_ENOMEM || same(whole, failed));
	ENSURE(f.live == 0);
	return 0;
}
