/* SPDX-License-Identifier: Apache-2.0 */
/* Which flavors a pod may run in: node selectors, affinity, taints; and which namespaces a queue takes. */
#include "decide/match.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"

/* Does the pod of this spec suit a flavor of this spec? */
static bool suits(const char *pod, const char *flavor)
{
	char text[4096];
	struct fl_model *m;
	bool result;

	(void)snprintf(
		text, sizeof text,
		K
		"kind: ResourceFlavor\nmetadata: {name: f}\nspec: %s\n---\n" K
		"kind: Workload\nmetadata: {name: w}\nspec: {podSets: [{template: {spec: %s}}]}\n",
		flavor, pod);
	m = load(text);
	result = fl_match_flavor(m, &m->podsets[0], (struct fl_flavor){ 0 });
	fl_model_free(m);
	return result;
}

/* A pod whose required affinity has these terms. */
#define TERMS(terms)                                                                               \
	"{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {"             \
	"nodeSelectorTerms: [" terms "]}}}}"
#define EXPR(key, op, values) "{key: " key ", operator: " op ", values: [" values "]}"
#define TERM(expressions) "{matchExpressions: [" expressions "]}"
#define ONE(key, op, values) TERMS(TERM(EXPR(key, op, values)))

/* All against a flavor with these labels. */
#define LABELS "{nodeLabels: {zone: a, disk: ssd, cores: \"16\"}}"

TEST(affinity)
{
	static const struct {
		const char *name, *pod;
		bool want;
	} rows[] = {
		{ "nothing asked", "{}", true },
		{ "In, one of them", ONE("zone", "In", "b, a"), true },
		{ "In, none of them", ONE("zone", "In", "b, c"), false },
		{ "In, of a key that the flavor does not have", ONE("rack", "In", "b"), true },
		{ "NotIn, none of them", ONE("zone", "NotIn", "b, c"), true },
		{ "NotIn, one of them", ONE("zone", "NotIn", "b, a"), false },
		{ "NotIn, of another key", ONE("rack", "NotIn", "a"), true },
		{ "Exists", ONE("zone", "Exists", ""), true },
		{ "Exists, of another key", ONE("rack", "Exists", ""), true },
		{ "DoesNotExist", ONE("zone", "DoesNotExist", ""), false },
		{ "DoesNotExist, of another key", ONE("rack", "DoesNotExist", ""), true },
		{ "Gt", ONE("cores", "Gt", "\"15\""), true },
		{ "Gt, equal", ONE("cores", "Gt", "\"16\""), false },
		{ "Lt", ONE("cores", "Lt", "\"17\""), true },
		{ "Lt, equal", ONE("cores", "Lt", "\"16\""), false },
		{ "Lt, below zero", ONE("cores", "Lt", "\"-1\""), false },
		{ "Gt, below zero", ONE("cores", "Gt", "\"-1\""), true },
		{ "Gt, of a label that is no number", ONE("zone", "Gt", "\"1\""), false },
		{ "Gt, than what is no number", ONE("cores", "Gt", "ten"), false },
		{ "Gt, than what 64 bits do not hold",
		  ONE("cores", "Lt", "\"99999999999999999999\""), false },
		/* What the API server refuses holds for nobody; others of the list may. */
		{ "In without values", ONE("zone", "In", ""), false },
		{ "NotIn without values", ONE("zone", "NotIn", ""), false },
		{ "Exists with values", ONE("zone", "Exists", "a"), false },
		{ "DoesNotExist with values", ONE("zone", "DoesNotExist", "b"), false },
		{ "Gt with two values", ONE("cores", "Gt", "\"1\", \"2\""), false },
		{ "Gt without value", ONE("cores", "Gt", ""), false },
		/* Expressions of a term all hold; terms are alternatives. */
		{ "both hold", TERMS(TERM(EXPR("zone", "In", "a") ", " EXPR("disk", "In", "ssd"))),
		  true },
		{ "one of two holds",
		  TERMS(TERM(EXPR("zone", "In", "a") ", " EXPR("disk", "In", "hdd"))), false },
		{ "the second term holds",
		  TERMS(TERM(EXPR("zone", "In", "b")) ", " TERM(EXPR("disk", "In", "ssd"))), true },
		{ "no term holds",
		  TERMS(TERM(EXPR("zone", "In", "b")) ", " TERM(EXPR("disk", "In", "hdd"))),
		  false },
		{ "the first is malformed, the second holds",
		  TERMS(TERM(EXPR("zone", "In", "")) ", " TERM(EXPR("disk", "In", "ssd"))), true },
		{ "only what the flavor knows counts",
		  TERMS(TERM(EXPR("rack", "In", "x") ", " EXPR("disk", "In", "hdd"))), false },
		{ "a term of which nothing is left suits",
		  TERMS(TERM(EXPR("zone", "In", "b")) ", " TERM(EXPR("rack", "In", "x"))), true },
		{ "a term without anything suits", TERMS(TERM(EXPR("zone", "In", "b")) ", {}"),
		  true },
		{ "no terms", TERMS(""), true },
		{ "fields of nodes are not of flavors",
		  TERMS("{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}"),
		  true },
		{ "beside expressions they do not count",
		  TERMS("{matchExpressions: [" EXPR(
			  "zone", "In", "b") "], matchFields: "
					     "[{key: metadata.name, operator: In, values: [n1]}]}"),
		  false },
		{ "what is preferred is not required",
		  "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
		  "preference: " TERM(EXPR("zone", "In", "b")) "}]}}}",
		  true },
		/* The node selector beside it. */
		{ "selector", "{nodeSelector: {zone: a, disk: ssd}}", true },
		{ "selector, another value", "{nodeSelector: {zone: a, disk: hdd}}", false },
		{ "selector, another key", "{nodeSelector: {rack: x}}", true },
		{ "selector holds, affinity does not",
		  "{nodeSelector: {zone: a}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
		  "{nodeSelectorTerms: [" TERM(EXPR("disk", "In", "hdd")) "]}}}}",
		  false },
		{ "affinity holds, selector does not",
		  "{nodeSelector: {zone: b}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
		  "{nodeSelectorTerms: [" TERM(EXPR("disk", "In", "ssd")) "]}}}}",
		  false },
		{ "a term of which nothing is left does not undo the selector",
		  "{nodeSelector: {zone: b}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
		  "{nodeSelectorTerms: [{}]}}}}",
		  false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(suits(rows[i].pod, LABELS) == rows[i].want, rows[i].name);
}

#define TAINT "nodeTaints: [{key: gpu, value: \"yes\", effect: NoSchedule}]"

TEST(taints)
{
	static const struct {
		const char *name, *flavor, *pod;
		bool want;
	} rows[] = {
		{ "not tolerated", "{" TAINT "}", "{}", false },
		{ "a preference does not keep out",
		  "{nodeTaints: [{key: gpu, effect: PreferNoSchedule}]}", "{}", true },
		{ "NoExecute keeps out", "{nodeTaints: [{key: gpu, effect: NoExecute}]}", "{}",
		  false },
		{ "the pod tolerates it", "{" TAINT "}",
		  "{tolerations: [{key: gpu, value: \"yes\", effect: NoSchedule}]}", true },
		{ "Equal is the default, and looks at the value", "{" TAINT "}",
		  "{tolerations: [{key: gpu, value: \"no\", effect: NoSchedule}]}", false },
		{ "Exists does not", "{" TAINT "}",
		  "{tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}", true },
		{ "any effect", "{" TAINT "}", "{tolerations: [{key: gpu, operator: Exists}]}",
		  true },
		{ "another effect", "{" TAINT "}",
		  "{tolerations: [{key: gpu, operator: Exists, effect: NoExecute}]}", false },
		{ "another key", "{" TAINT "}", "{tolerations: [{key: cpu, operator: Exists}]}",
		  false },
		{ "every key", "{" TAINT "}", "{tolerations: [{operator: Exists}]}", true },
		{ "the flavor tolerates it itself",
		  "{" TAINT ", tolerations: [{key: gpu, operator: Exists}]}", "{}", true },
		{ "the flavor tolerates another one",
		  "{" TAINT ", tolerations: [{key: cpu, operator: Exists}]}", "{}", false },
		{ "one each",
		  "{nodeTaints: [{key: a, effect: NoSchedule}, {key: b, effect: NoSchedule}], "
		  "tolerations: [{key: a, operator: Exists}]}",
		  "{tolerations: [{key: b, operator: Exists}]}", true },
		{ "one of two",
		  "{nodeTaints: [{key: a, effect: NoSchedule}, {key: b, effect: NoSchedule}]}",
		  "{tolerations: [{key: b, operator: Exists}]}", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(suits(rows[i].pod, rows[i].flavor) == rows[i].want, rows[i].name);
}

TEST(namespaces)
{
	static const struct {
		const char *selector;
		bool want;
	} rows[] = {
		{ "{}", true },
		{ "{matchLabels: {team: a}}", true },
		{ "{matchLabels: {team: b}}", false },
		{ "{matchLabels: {none: a}}", false },
		{ "{matchLabels: {kubernetes.io/metadata.name: ns}}", true },
		{ "{matchLabels: {kubernetes.io/metadata.name: other}}", false },
		{ "{matchExpressions: [{key: team, operator: NotIn, values: [b]}]}", true },
		{ "{matchExpressions: [{key: none, operator: NotIn, values: [b]}]}", true },
		{ "{matchExpressions: [{key: none, operator: Exists}]}", false },
		{ "{matchExpressions: [{key: none, operator: DoesNotExist}]}", true },
		{ "{matchLabels: {team: a}, matchExpressions: [{key: team, operator: DoesNotExist}]}",
		  false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[1024];
		struct fl_model *m;

		(void)snprintf(
			text, sizeof text,
			"apiVersion: v1\nkind: Namespace\nmetadata: {name: ns, labels: {team: a}}\n---\n" K
			"kind: ClusterQueue\nmetadata: {name: q}\nspec: {namespaceSelector: %s}\n",
			rows[i].selector);
		m = load(text);
		CHECK(fl_match_namespace(m, &m->nodes[0].namespaces, m->namespaces[0].name) ==
			      rows[i].want,
		      rows[i].selector);
		fl_model_free(m);
	}
}

/* One that is referred to, but is not there, suits nobody. */
TEST(missing)
{
	struct fl_model *m = load(
		K
		"kind: ClusterQueue\nmetadata: {name: q}\nspec: {resourceGroups: [{coveredResources: [cpu], "
		"flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n---\n" K
		"kind: Workload\nmetadata: {name: w}\nspec: {podSets: [{template: {spec: {}}}]}\n");

	assert_false(fl_match_flavor(m, &m->podsets[0], (struct fl_flavor){ 0 }));
	fl_model_free(m);
}

UNIT_GROUP("match")
