"""Who may use the API: pages of other origins, forms, rebound names, and the errors of the contract."""

import pytest
from curl import curl, post
from jobs import request

ALLOWED = "https://app.example"


@pytest.fixture(scope="module")
def url(server):
    return server.url


@pytest.fixture(scope="module")
def own_host(server):
    return f"127.0.0.1:{server.port}"


def header(name, value):
    return ("-H", f"{name}: {value}")


# What a page elsewhere could do to a visitor's server: start, cancel, publish, stop, look.
ACTIONS = [
    ("POST", "/v1/jobs", request(1)),
    ("POST", "/v1/streams/guarded", {"data": 1}),
    ("POST", "/v1/streams/ticks/stop", None),
    ("DELETE", "/v1/subscriptions/00000000-0000-4000-8000-000000000000", None),
    ("GET", "/v1/jobs", None),
    ("GET", "/v1/streams/ticks", None),
]


class TestOtherOrigins:
    @pytest.mark.parametrize(("method", "path", "body"), ACTIONS)
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
    def test_a_page_of_another_origin_is_refused(self, url, method, path, body, origin):
        reply = post(url + path, body, *header("Origin", origin), method=method)
        reply.problem(403)
        assert not [name for name in reply.headers if name.startswith("access-control")]

    @pytest.mark.parametrize(("method", "path", "body"), ACTIONS)
    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_cross_site_request_without_an_origin_is_refused(self, url, method, path, body, site):
        fetched = (*header("Sec-Fetch-Site", site), *header("Sec-Fetch-Mode", "no-cors"))
        post(url + path, body, *fetched, method=method).problem(403)

    def test_following_a_link_to_the_page_is_allowed(self, url):
        followed = (*header("Sec-Fetch-Site", "cross-site"), *header("Sec-Fetch-Mode", "navigate"))
        assert curl(f"{url}/", *followed).status == 200
        post(f"{url}/v1/streams/ticks/stop", None, *followed).problem(403)

    def test_the_servers_own_page_is_allowed(self, url, own_host):
        own = (*header("Origin", f"http://{own_host}"), *header("Sec-Fetch-Site", "same-origin"))
        assert post(f"{url}/v1/streams/guarded", {"data": 1}, *own).status in (200, 201)

    def test_a_page_behind_a_proxy_that_ends_tls_is_allowed(self, url, own_host):
        assert curl(f"{url}/v1/jobs", *header("Origin", f"https://{own_host}")).status == 200

    def test_a_preflight_gets_no_permission(self, url):
        asked = (*header("Origin", "https://evil.example"), *header("Access-Control-Request-Method", "POST"))
        reply = curl(f"{url}/v1/jobs", "-X", "OPTIONS", *asked)
        reply.problem(403)
        assert not [name for name in reply.headers if name.startswith("access-control")]


@pytest.fixture(scope="class")
def open_url(start_server_for_class):
    """A server that allows two other origins."""
    return start_server_for_class("--allowed-origin", f"{ALLOWED}, https://other.example").url


class TestAllowedOrigins:
    def test_its_pages_get_permission_and_answers(self, open_url):
        asked = (*header("Origin", ALLOWED), *header("Access-Control-Request-Method", "PUT"))
        preflight = curl(f"{open_url}/v1/jobs", "-X", "OPTIONS", *asked)
        assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (204, ALLOWED)
        assert {"GET", "POST", "PUT", "DELETE"} <= set(preflight.headers["access-control-allow-methods"].split(", "))
        wanted = {"content-type", "idempotency-key", "last-event-id", "if-none-match", "prefer"}
        assert wanted <= set(preflight.headers["access-control-allow-headers"].lower().split(", "))
        reply = post(f"{open_url}/v1/jobs", request(1), *header("Origin", ALLOWED))
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (202, ALLOWED)
        assert "location" in reply.headers["access-control-expose-headers"].lower()

    def test_its_pages_may_read_streams_and_problems(self, open_url, open_stream):
        stream = open_stream(f"{open_url}/v1/streams/ticks?limit=1", *header("Origin", ALLOWED))
        assert stream.head.headers["access-control-allow-origin"] == ALLOWED
        problem = curl(f"{open_url}/v1/jobs/x", *header("Origin", ALLOWED))
        problem.problem(404)
        assert problem.headers["access-control-allow-origin"] == ALLOWED

    def test_caches_are_told_that_answers_differ_by_origin(self, open_url):
        for arguments in (header("Origin", ALLOWED), ()):
            assert "origin" in curl(f"{open_url}/v1/jobs", *arguments).headers["vary"].lower()

    def test_others_are_still_refused(self, open_url):
        for origin in ("https://app.example.evil", "http://app.example", "https://APP.example/"):
            curl(f"{open_url}/v1/jobs", *header("Origin", origin)).problem(403)


class TestHosts:
    @pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "1.2.3.4.example"])
    def test_a_name_that_is_not_the_servers_is_refused(self, url, host):
        curl(f"{url}/v1/jobs", *header("Host", host)).problem(403)
        post(f"{url}/v1/jobs", request(1), *header("Host", host), *header("Origin", f"http://{host}")).problem(403)

    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "app.localhost", "127.0.0.1", "192.168.0.7:80", "[::1]:80"])
    def test_localhost_and_addresses_are_the_servers(self, url, host):
        assert curl(f"{url}/v1/jobs", *header("Host", host)).status == 200

    def test_a_further_name_can_be_allowed(self, start_server):
        server = start_server("--allowed-host", "Run.Example, other.example")
        assert curl(f"{server.url}/v1/jobs", *header("Host", "run.example:80")).status == 200
        assert curl(f"{server.url}/v1/jobs", *header("Host", "OTHER.example")).status == 200
        curl(f"{server.url}/v1/jobs", *header("Host", "third.example")).problem(403)

    def test_the_name_that_it_listens_on_is_its_own(self, start_server):
        import socket

        name = socket.gethostname()
        try:
            address = socket.gethostbyname(name)
        except OSError:
            pytest.skip("this machine's name does not resolve")
        if not address.startswith("127."):
            pytest.skip("this machine's name is not of the loopback")
        server = start_server("--host", name)
        assert curl(f"http://{address}:{server.port}/v1/jobs", *header("Host", name)).status == 200


class TestContentTypes:
    @pytest.mark.parametrize(
        "type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
    )
    @pytest.mark.parametrize("path", ["/v1/jobs", "/v1/streams/guarded", "/v1/streams/ticks/stop"])
    def test_a_body_of_another_type_is_refused(self, url, type, path):
        reply = curl(url + path, "--data", '{"data":1}', *header("Content-Type", type))
        reply.problem(415)
        assert reply.headers["accept"] == "application/json"

    @pytest.mark.parametrize("type", ["application/json", "Application/JSON; charset=utf-8", "application/json ;a=b"])
    def test_json_with_parameters_is_taken(self, url, type):
        reply = curl(f"{url}/v1/streams/guarded", "--data", '{"data":1}', *header("Content-Type", type))
        assert reply.status in (200, 201)


class TestErrors:
    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("PATCH", "/v1/jobs", "GET, HEAD, POST"),
            ("DELETE", "/v1/jobs", "GET, HEAD, POST"),
            ("POST", "/v1/kinds", "GET, HEAD"),
            ("GET", "/v1/streams/ticks/stop", "POST"),
            ("PUT", "/v1/streams/ticks", "GET, HEAD, POST"),
            ("POST", "/livez", "GET, HEAD"),
            ("GET", "/v1/subscriptions/x", "DELETE"),
            ("POST", "/index.html", "GET, HEAD"),
            ("POST", "/", "GET, HEAD"),
            ("BREW", "/v1/events", "GET, HEAD"),
        ],
    )
    def test_405_says_what_is_allowed(self, url, method, path, allowed):
        reply = curl(url + path, "-X", method)
        reply.problem(405)
        assert reply.headers["allow"] == allowed

    @pytest.mark.parametrize("path", ["/nowhere", "/v1", "/v1/", "/v1/jobs/", "/V1/jobs", "/v1//jobs", "/.git/config"])
    def test_404_for_what_is_not_there(self, url, path):
        curl(url + path, "--path-as-is").problem(404)

    @pytest.mark.parametrize("path", ["/../Package.swift", "/%2e%2e/Package.swift", "/runcast/..%2f..%2fPackage.swift"])
    def test_nothing_outside_of_the_page_is_served(self, url, path):
        curl(url + path, "--path-as-is").problem(404)

    def test_406_for_a_stream_that_is_not_wanted(self, url):
        for accept in ("application/json", "text/event-stream;q=0", "text/html, image/*"):
            curl(f"{url}/v1/streams/ticks", *header("Accept", accept)).problem(406)
        for accept in ("text/event-stream", "text/*;q=0.1", "*/*", "application/json, text/event-stream"):
            assert curl(f"{url}/v1/streams/ticks?limit=1", *header("Accept", accept)).status == 200

    def test_413_for_a_body_that_is_too_large(self, url, tmp_path):
        body = tmp_path / "body"
        body.write_text('{"data":"' + "x" * (1 << 20) + '"}')
        json_type = header("Content-Type", "application/json")
        curl(f"{url}/v1/streams/guarded", "--data-binary", f"@{body}", *json_type).problem(413)
        chunked = header("Transfer-Encoding", "chunked")
        curl(f"{url}/v1/streams/guarded", "--data-binary", f"@{body}", *json_type, *chunked).problem(413)

    def test_414_and_431_for_heads_that_are_too_large(self, url):
        curl(f"{url}/v1/jobs?{'x' * 20_000}").problem(414)
        curl(f"{url}/v1/jobs", *header("X-Large", "x" * 20_000)).problem(431)
        # Far beyond, the library answers before the server is asked.
        assert curl(f"{url}/v1/jobs?{'x' * 100_000}").status in (414, 431)
        many = [argument for number in range(150) for argument in header(f"X-{number}", "1")]
        curl(f"{url}/v1/jobs", *many).problem(431)

    @pytest.mark.parametrize("path", ["/", "/v1/jobs", "/v1/jobs/x", "/nowhere", "/livez"])
    def test_every_answer_keeps_browsers_from_guessing_and_framing(self, url, path):
        headers = curl(url + path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
