# SPDX-License-Identifier: Apache-2.0
"""What an account may do, by the API server's own word; and what the roles of deploy/ say that it may."""

ACCOUNT = "system:serviceaccount:fairlead:fairlead"
READ = ("get", "list", "watch")
VERBS = (*READ, "create", "update", "patch", "delete", "deletecollection")


def resources(client):
    """(group, resource, subresource) of all that the server serves, in any version."""
    out = set()
    groups = [("", "/api/v1")]
    for group in client.ask("GET", "/apis")["groups"]:
        groups += [(group["name"], f"/apis/{v['groupVersion']}") for v in group["versions"]]
    for group, path in groups:
        for row in client.ask("GET", path)["resources"]:
            name, _, part = row["name"].partition("/")
            out.add((group, name, part))
    return out


def allows(client, user, **what):
    groups = ["system:authenticated", "system:serviceaccounts", "system:serviceaccounts:fairlead"]
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "spec": {"user": user, "groups": groups, "resourceAttributes": what}}
    return client.create("authorization.k8s.io/v1", "subjectaccessreviews", review)["status"]["allowed"]


def may(client, namespace):
    """All (verb, group, resource, subresource) that fairlead may do in @namespace, of objects of any name, and that not
    every account of its namespace may."""
    return {(verb, group, name, part) for group, name, part in resources(client) for verb in VERBS
            if allows(client, ACCOUNT, verb=verb, group=group, resource=name, subresource=part, namespace=namespace)
            and not allows(client, ACCOUNT + "-not", verb=verb, group=group, resource=name, subresource=part,
                           namespace=namespace)}


def verbs_of(client, group, resource, namespace, name):
    """That fairlead may do to the object of that @name."""
    return {verb for verb in VERBS if allows(client, ACCOUNT, verb=verb, group=group, resource=resource, name=name,
                                             namespace=namespace)}


def granted(objects, kind):
    """What the roles of @kind among @objects give of objects of any name, in the form of `may`."""
    return {(verb, group, *(resource + "/").split("/")[:2]) for body in objects if body["kind"] == kind
            for rule in body["rules"] if "resourceNames" not in rule
            for group in rule["apiGroups"] for resource in rule["resources"] for verb in rule["verbs"]}


def writes(rows):
    return {row for row in rows if row[0] not in READ}
