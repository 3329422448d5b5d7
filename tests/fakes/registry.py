"""Provider registry on loopback with the v1 and v2 API."""

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.signed_releases import SignedRelease, build_release

V1 = re.compile(r"^/v1/providers/([^/]+)/([^/]+)(?:/\d[^/]*|/latest)?$")
VERSIONS = re.compile(r"^/v1/providers/([^/]+)/([^/]+)/versions$")
V2 = re.compile(r"^/v2/providers/([^/]+)/([^/]+)$")
PACKAGE = re.compile(r"^/v1/providers/([^/]+)/([^/]+)/([^/]+)/download/([^/]+)/([^/]+)$")
FILE = re.compile(r"^/files/([^/]+)/([^/]+)/([^/]+)/([^/]+)$")
HIDDEN_PROVIDER = "hidden"  # a new name that the response doesn't include


@dataclass
class Provider:
    """A published provider. `versions` oldest first, without the "v"; `docs` are (category, slug) pairs."""

    full_name: str
    source: str = ""
    tier: str = "community"
    versions: tuple[str, ...] = ("1.0.0",)
    downloads: int = 0
    description: str = ""
    published_at: str = "2026-04-01T10:00:00Z"
    number: int = 1
    platforms: tuple[str, ...] = ("linux_amd64",)
    protocols: tuple[str, ...] = ("5.0",)
    docs: tuple[tuple[str, str], ...] = (("overview", "index"), ("resources", "thing"))
    warning: str = ""
    unlisted: bool = False
    moved_to: str = ""
    repository_id: int | None = None
    releases: dict[str, SignedRelease] = field(
        default_factory=dict
    )  # by version; a missing one is built without faults

    def get_release(self, version: str) -> SignedRelease | None:
        """Return the files of a listed version."""
        if version not in self.versions:
            return None
        if version not in self.releases:
            name = self.full_name.partition("/")[2]
            self.releases[version] = build_release(name, version, platforms=self.platforms, protocols=self.protocols)
        return self.releases[version]

    @property
    def repository(self) -> str:
        namespace, name = self.full_name.split("/")
        return self.source or f"https://github.com/{namespace}/terraform-provider-{name}"


def build_v1_response(provider: Provider) -> dict[str, Any]:
    """Return the v1 response about the newest version of a provider."""
    namespace, name = provider.full_name.split("/")
    version = provider.versions[-1]
    return {
        "id": f"{provider.full_name}/{version}",
        "owner": namespace,
        "namespace": namespace,
        "name": name,
        "alias": "",
        "version": version,
        "tag": f"v{version}",
        "description": provider.description,
        "source": provider.repository,
        "published_at": provider.published_at,
        "downloads": provider.downloads,
        "tier": provider.tier,
        "logo_url": "",
        "versions": list(provider.versions),
        "docs": [build_docs_page(number, *pair) for number, pair in enumerate(provider.docs)],
    }


def build_docs_page(number: int, category: str, slug: str) -> dict[str, str]:
    path = f"docs/{category}/{slug}.md"
    return {"id": str(number), "title": slug, "path": path, "slug": slug, "category": category, "subcategory": ""}


def build_versions_response(provider: Provider) -> dict[str, Any]:
    """Return the v1 response about the versions of a provider."""
    platforms = [dict(zip(("os", "arch"), platform.split("_"), strict=True)) for platform in provider.platforms]
    version_entries = [
        {"version": v, "protocols": list(provider.protocols), "platforms": platforms} for v in provider.versions
    ]
    return {"id": provider.full_name, "versions": version_entries, "warnings": None}


def build_attributes(provider: Provider) -> dict[str, Any]:
    """Return the v2 attributes of a provider."""
    namespace, name = provider.full_name.split("/")
    return {
        "alias": None,
        "description": provider.description,
        "downloads": provider.downloads,
        "featured": False,
        "full-name": provider.full_name,
        "logo-url": "",
        "name": name,
        "namespace": namespace,
        "owner-name": namespace,
        "robots-noindex": False,
        "source": provider.repository,
        "tier": provider.tier,
        "unlisted": provider.unlisted,
        "warning": provider.warning,
        "repository-id": provider.repository_id,
    }


def build_provider_list(providers: list[Provider], query: dict[str, list[str]]) -> dict[str, Any]:
    """Return the v2 response with a page of providers, in the format recorded in 2023."""
    size = int(query["page[size]"][0])
    number = int(query["page[number]"][0])
    total_pages = max(1, -(-len(providers) // size))
    pagination = {
        "page-size": size,
        "current-page": number,
        "next-page": number + 1 if number < total_pages else None,
        "prev-page": number - 1 if number > 1 else None,
        "total-pages": total_pages,
        "total-count": len(providers),
    }
    shown = providers[(number - 1) * size : number * size]
    data = [
        build_resource("providers", str(each.number), **build_attributes(each))
        | {"links": {"self": f"/v2/providers/{each.number}"}}
        for each in shown
    ]
    return {"data": data, "meta": {"pagination": pagination}}


def build_v2_response(provider: Provider) -> dict[str, Any]:
    """Return the v2 response about a provider, with its versions and its new name."""
    version_entries = [
        build_resource(
            "provider-versions",
            f"{provider.number}{at:04}",
            **{"version": version, "tag": f"v{version}", "published-at": provider.published_at},
        )
        for at, version in enumerate(provider.versions)
    ]
    is_target_included = provider.moved_to not in ("", HIDDEN_PROVIDER)
    moved_resources = (
        [build_resource("providers", "999", **{"full-name": provider.moved_to})] if is_target_included else []
    )
    relationships = {"moved-to": {"data": {"type": "providers", "id": "999"} if provider.moved_to else None}}
    data = {
        "type": "providers",
        "id": str(provider.number),
        "attributes": build_attributes(provider),
        "relationships": relationships,
    }
    return {"data": data, "included": version_entries + moved_resources}


def build_resource(kind: str, number: str, **attributes: Any) -> dict[str, Any]:
    return {"type": kind, "id": number, "attributes": attributes}


NOT_FOUND = (404, b'{"errors": ["Not Found"]}')
RESPONSES = ((VERSIONS, build_versions_response), (V1, build_v1_response), (V2, build_v2_response))


class Handler(BaseHTTPRequestHandler):
    """One request, answered by a fault, a provider, or 404."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the body waits 40 ms for the client to acknowledge the headers
    server: "Registry"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.server.requests.append(path)
        query = parse_qs(urlsplit(self.path).query)
        status, body = self.server.find_fault(path) or self.build_response(path, query)
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if status == 200 and self.headers.get("If-None-Match") == tag:
            status = 304
            body = b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("ETag", tag)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def build_response(self, path: str, query: dict[str, list[str]]) -> tuple[int, bytes]:
        if path == "/v2/providers":
            return 200, json.dumps(
                build_provider_list(self.server.list_namespace(query["filter[namespace]"][0]), query)
            ).encode()
        if path_match := PACKAGE.match(path) or FILE.match(path):
            return self.build_release_response(*path_match.groups())
        for pattern, shape in RESPONSES:
            match = pattern.match(path)
            provider = self.server.providers.get(f"{match[1]}/{match[2]}".lower()) if match else None
            if provider is not None:
                return 200, json.dumps(shape(provider)).encode()
        return NOT_FOUND

    def build_release_response(self, namespace: str, name: str, version: str, *which: str) -> tuple[int, bytes]:
        """Answer about a package if an operating system and architecture follow, otherwise with a file."""
        provider = self.server.providers.get(f"{namespace}/{name}".lower())
        signed = provider.get_release(version) if provider else None
        if signed is None:
            return NOT_FOUND
        if len(which) == 1:
            return (200, signed.files[which[0]]) if which[0] in signed.files else NOT_FOUND
        base = f"{self.server.url}/files/{namespace}/{name}/{version}"
        return 200, json.dumps(signed.build_package_response(base, "_".join(which))).encode()


@dataclass
class _State:
    providers: dict[str, Provider] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    fault: tuple[str, int, bytes] | None = None


class Registry(ThreadingHTTPServer):
    """The registry on a free loopback port."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.reset()
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def reset(self) -> None:
        state = _State()
        self.providers = state.providers
        self.requests = state.requests
        self.fault = state.fault

    def publish(self, provider: Provider) -> None:
        self.providers[provider.full_name.lower()] = provider

    def list_namespace(self, namespace: str) -> list[Provider]:
        """Return the providers of a namespace, sorted by name."""
        rows = (each for key, each in self.providers.items() if key.startswith(f"{namespace.lower()}/"))
        return sorted(rows, key=lambda each: each.full_name)

    def fail(self, status: int, body: bytes = b"", under: str = "/") -> None:
        """Answer every request below a path with this status and body."""
        self.fault = (under, status, body)

    def find_fault(self, path: str) -> tuple[int, bytes] | None:
        return self.fault[1:] if self.fault and path.startswith(self.fault[0]) else None

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self.thread.join(5)

    def handle_error(self, *_: Any) -> None:
        """Ignore clients that close the connection."""
