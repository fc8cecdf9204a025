# SPDX-License-Identifier: Apache-2.0
"""A small client of the Kubernetes API: what tests need to make, change and look at objects.

It caches nothing, and asks again only where the server says 429: at its start, for a moment.  Each call takes and returns objects as the API has them
(dicts); an answer other than 2xx is an ApiError with its status and the server's own text.
"""
import http.client
import json
import ssl
import time

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


class ApiError(Exception):
    def __init__(self, method, path, status, body):
        try:
            text = json.loads(body)["message"]
        except (ValueError, KeyError, TypeError):
            text = body[:500]
        super().__init__(f"{method} {path}: {status}: {text}")
        self.status, self.body = status, body


def path_of(api, plural, namespace=None, name=None, part=None):
    """@api: "v1", "batch/v1", "kueue.x-k8s.io/v1beta2"; @part: "status", "binding", "token"."""
    words = [("/apis/" if "/" in api else "/api/") + api]
    if namespace:
        words.append(f"namespaces/{namespace}")
    return "/".join(w for w in (*words, plural, name, part) if w)


class Client:
    def __init__(self, port, authority, token=None, certificate=None, agent="test", timeout=60):
        """@authority: file of the certificate that signed the server's; @certificate: (file, key) of the caller."""
        self.port, self.token, self.agent, self.timeout = port, token, agent, timeout
        self.tls = ssl.create_default_context(cafile=str(authority))
        if certificate:
            self.tls.load_cert_chain(*map(str, certificate))
        self.connection = None

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=self.timeout)

    def headers(self, type):
        out = {"Accept": "application/json", "Content-Type": type, "User-Agent": self.agent}
        if self.token:
            out["Authorization"] = f"Bearer {self.token}"
        return out

    def send(self, method, path, data, type):
        """(answer, its body) on the connection that is kept."""
        for fresh in (False, True):
            self.connection = self.connection or self.connect()
            try:
                self.connection.request(method, path, data, self.headers(type))
                answer = self.connection.getresponse()
                return answer, answer.read()
            # A connection that was kept while the server went is found dead only now.
            except (http.client.HTTPException, OSError):
                self.close()
                if fresh or method == "POST":
                    raise

    def ask(self, method, path, body=None, type="application/json"):
        """What was read is parsed when it is JSON."""
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        end = time.monotonic() + self.timeout
        answer, text = self.send(method, path, data, type)
        while answer.status == 429 and time.monotonic() < end:
            time.sleep(0.2)
            answer, text = self.send(method, path, data, type)
        if not 200 <= answer.status < 300:
            raise ApiError(method, path, answer.status, text.decode(errors="replace"))
        return json.loads(text) if answer.getheader("Content-Type", "").startswith("application/json") else text.decode()

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def get(self, api, plural, name, namespace=None):
        return self.ask("GET", path_of(api, plural, namespace, name))

    def find(self, api, plural, name, namespace=None):
        """As get, or None where it is not there."""
        try:
            return self.get(api, plural, name, namespace)
        except ApiError as e:
            if e.status != 404:
                raise
            return None

    def list(self, api, plural, namespace=None, query=""):
        return self.ask("GET", path_of(api, plural, namespace) + (f"?{query}" if query else ""))["items"]

    def create(self, api, plural, body, namespace=None):
        return self.ask("POST", path_of(api, plural, namespace), body)

    def apply(self, api, plural, body, namespace=None, manager="test", part=None):
        """Server-side apply: made when it is not there."""
        path = path_of(api, plural, namespace, body["metadata"]["name"], part)
        return self.ask("PATCH", f"{path}?fieldManager={manager}&force=true", body, APPLY)

    def patch(self, api, plural, name, change, namespace=None, part=None):
        return self.ask("PATCH", path_of(api, plural, namespace, name, part), change, MERGE)

    def delete(self, api, plural, name, namespace=None):
        """With what it owns, as kubectl does: without that a Job leaves its Workload behind, unless Kueue is first."""
        return self.ask("DELETE", path_of(api, plural, namespace, name) + "?propagationPolicy=Background")

    def watch(self, api, plural, since, namespace=None, seconds=60):
        """Events ({type, object}) from resourceVersion @since on, on a connection of its own, until the server ends it."""
        connection = self.connect()
        try:
            path = f"{path_of(api, plural, namespace)}?watch=true&resourceVersion={since}&timeoutSeconds={seconds}"
            connection.request("GET", path, None, self.headers("application/json"))
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError("GET", path, answer.status, answer.read().decode(errors="replace"))
            for line in answer:
                yield json.loads(line)
        finally:
            connection.close()
