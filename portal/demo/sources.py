"""GitHub, the registry, and the web as the demo world describes them, behind the clients that checks use."""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import BinaryIO
from urllib.parse import urlsplit

from django.conf import settings

from portal.core.value_types import JsonObject
from portal.demo.repositories import (
    PROTOCOLS,
    TEMPLATES,
    FictionalRepository,
    build_files,
    build_release_files,
    compute_id,
    load_signatures,
)
from verification.releases.artifacts import file_names
from verification.sources import Sources
from verification.sources.errors import GitHubUnavailableError, SourceNotFoundError, SourceUnavailableError
from verification.sources.github.client import GitHubClient
from verification.sources.http.client import MAX_REDIRECTS, OutboundClient, ResponseKind, SourceResponse
from verification.sources.http.urls import ParsedUrl
from verification.sources.registry.client import INCLUDE_QUERY, RegistryClient

PULL_REQUEST_PATTERN = re.compile(r"/repos/(hashicorp/\w+)/pulls/(\d+)")
BRANCH_PATTERN = re.compile(r".*/git/matching-refs/heads/.*")


class FictionalGitHub(GitHubClient):
    """GitHub client that answers in GitHub's format from the description of a repository."""

    def __init__(self, repository: FictionalRepository, *, is_available: bool) -> None:
        super().__init__(token="")
        self._documents = dict(list_github_documents(repository))
        self._is_available = is_available

    def _request(self, path: str, what: str) -> object:
        if not self._is_available:
            raise GitHubUnavailableError("GitHub did not respond.")
        if path in self._documents:
            return self._documents[path]
        if BRANCH_PATTERN.fullmatch(path):
            return []
        if path.endswith("/actions/workflows?per_page=100"):
            return {"workflows": []}
        if match := PULL_REQUEST_PATTERN.fullmatch(path):
            url = f"{settings.GITHUB_WEB_URL}/{match[1]}/pull/{match[2]}"
            title = "List another plugin in the documentation"
            return {"number": int(match[2]), "title": title, "state": "closed", "merged": True, "html_url": url}
        raise SourceNotFoundError(f"GitHub doesn't show {what}.")


class FictionalWeb(OutboundClient):
    """Client that answers for the registry, for the files of releases, and for every page of the fictional partners."""

    def __init__(self, repository: FictionalRepository, *, is_available: bool) -> None:
        super().__init__()
        self._bodies = dict(list_web_documents(repository))
        self._is_available = is_available

    def request(
        self,
        address: str,
        kind: ResponseKind,
        headers: Mapping[str, str] | None = None,
        *,
        into: BinaryIO | None = None,
        redirects: int = MAX_REDIRECTS,
    ) -> SourceResponse:
        """Return the described response."""
        if not self._is_available:
            raise SourceUnavailableError("The server did not respond.")
        parts = urlsplit(address)
        page = TEMPLATES.page.encode() if parts.netloc.endswith((".example", "github.com")) else None
        body = self._bodies.get(address, page)
        status, reason = (404, "Not Found") if body is None else (200, "OK")
        content = body or b""
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        if into is not None:
            into.write(content)
        link = ParsedUrl(parts.scheme, parts.hostname or "", parts.port or 443, target)
        digest = hashlib.sha256(content).hexdigest()
        return SourceResponse(status, reason, link, {}, b"" if into else content, len(content), digest)


@cache
def build_sources(repository: FictionalRepository, *, is_available: bool = True) -> Sources:
    """Return the sources of a repository. They are kept, so that each release is verified once."""
    web = FictionalWeb(repository, is_available=is_available)
    return Sources(FictionalGitHub(repository, is_available=is_available), RegistryClient(web=web), web)


def list_github_documents(repository: FictionalRepository) -> Iterator[tuple[str, object]]:
    """Yield the paths of GitHub's API and their responses."""
    files = build_files(repository)
    base = f"/repos/{repository.full_name}"
    shas = {path: _hash_blob(content) for path, content in files.items()}
    commit = hashlib.sha1(json.dumps(shas).encode(), usedforsecurity=False).hexdigest()
    yield base, _build_repository(repository)
    yield f"{base}/releases", [_build_release(repository, version) for version, _ in repository.releases]
    for ref in ("main", *(f"v{version}" for version, _ in repository.releases)):
        yield f"{base}/commits/{ref}", {"sha": commit}
    entries = [{"type": "blob", "path": path, "size": len(files[path]), "sha": sha} for path, sha in shas.items()]
    yield f"{base}/git/trees/{commit}?recursive=1", {"tree": entries, "truncated": False}
    for path, sha in shas.items():
        yield f"{base}/git/blobs/{sha}", {"encoding": "base64", "content": b64encode(files[path]).decode()}


def _hash_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest()


def _build_repository(repository: FictionalRepository) -> JsonObject:
    has_license = "LICENSE" in build_files(repository)
    return {
        "id": repository.id,
        "owner": {"id": compute_id(repository.owner), "type": "Organization"},
        "full_name": repository.full_name,
        "name": repository.full_name.partition("/")[2],
        "default_branch": "main",
        "homepage": repository.homepage,
        "license": {"spdx_id": "MPL-2.0"} if has_license else None,
        "language": TEMPLATES.programs[repository.program].language,
        "html_url": f"{settings.GITHUB_WEB_URL}/{repository.full_name}",
    }


def _build_release(repository: FictionalRepository, version: str) -> JsonObject:
    (published_at,) = (at for each, at in repository.releases if each == version)
    is_newest = version == repository.releases[0][0]
    assets = build_release_files(repository) if is_newest else {}
    return {
        "tag_name": f"v{version}",
        "published_at": published_at.isoformat(),
        "html_url": f"{settings.GITHUB_WEB_URL}/{repository.full_name}/releases/tag/v{version}",
        "assets": [
            {
                "id": compute_id(name),
                "name": name,
                "size": len(content),
                "browser_download_url": f"{_get_files_url(repository)}/{name}",
            }
            for name, content in assets.items()
        ],
    }


def _get_files_url(repository: FictionalRepository) -> str:
    return f"{settings.GITHUB_WEB_URL}/{repository.full_name}/releases/download/v{repository.releases[0][0]}"


def list_web_documents(repository: FictionalRepository) -> Iterator[tuple[str, bytes]]:
    """Yield the addresses of the newest release's files and of the registry, and their responses."""
    if not repository.releases:
        return
    for name, content in build_release_files(repository).items():
        yield f"{_get_files_url(repository)}/{name}", content
    for path, document in _list_registry_documents(repository):
        yield f"{settings.REGISTRY_URL.rstrip('/')}/{path}", json.dumps(document).encode()


def _list_registry_documents(repository: FictionalRepository) -> Iterator[tuple[str, object]]:
    """Yield the responses for a provider, or for the provider of the same owner that a module for Consul uses."""
    if repository.program == "terraform-provider":
        yield from _list_provider_documents(repository)
        for platform in repository.contents.platforms:
            os, _, arch = platform.partition("_")
            path = f"v1/providers/{repository.owner}/{repository.product}/{repository.releases[0][0]}"
            yield f"{path}/download/{os}/{arch}", _build_package(repository, os, arch)
    elif repository.program == "consul-nia":
        name = f"{repository.owner}/terraform-provider-{repository.owner}"
        provider = replace(repository, full_name=name, program="terraform-provider", tier="partner")
        yield from _list_provider_documents(provider)


def _list_provider_documents(repository: FictionalRepository) -> Iterator[tuple[str, object]]:
    full_name = f"{repository.owner}/{repository.product}"
    yield f"v2/providers/{full_name}?{INCLUDE_QUERY}", _build_internal_listing(repository, full_name)
    yield f"v1/providers/{full_name}/versions", {"versions": list(_list_versions(repository))}
    categories = {"docs/index": "overview", "docs/resources": "resources", "docs/data-sources": "data-sources"}
    docs = [
        {"category": category}
        for path in build_files(repository)
        for beginning, category in categories.items()
        if path.startswith(beginning)
    ]
    yield f"v1/providers/{full_name}/{repository.releases[0][0]}", {"docs": docs}


def _build_internal_listing(repository: FictionalRepository, full_name: str) -> JsonObject:
    attributes = {
        "full-name": full_name,
        "source": f"{settings.GITHUB_WEB_URL}/{repository.full_name}",
        "tier": repository.tier,
        "warning": "",
        "unlisted": False,
        "repository-id": repository.id,
    }
    versions = [
        {"type": "provider-versions", "id": version, "attributes": {"version": version}}
        for version, _ in repository.releases
    ]
    return {"data": {"attributes": attributes}, "included": versions}


def _list_versions(repository: FictionalRepository) -> Iterator[JsonObject]:
    """Yield the versions. The first release has fewer platforms than the later ones."""
    for version, _ in repository.releases:
        is_first = len(repository.releases) > 1 and version == repository.releases[-1][0]
        platforms = repository.contents.platforms[:2] if is_first else repository.contents.platforms
        entries = [dict(zip(("os", "arch"), platform.split("_"), strict=True)) for platform in platforms]
        yield {"version": version, "protocols": PROTOCOLS, "platforms": entries}


def _build_package(repository: FictionalRepository, os: str, arch: str) -> JsonObject:
    name = repository.product
    version = repository.releases[0][0]
    url = _get_files_url(repository)
    archive = file_names.build_archive_name(name, version, os, arch)
    sums = file_names.build_sums_name(name, version)
    key = {"key_id": "", "ascii_armor": load_signatures().keys[repository.owner], "trust_signature": ""}
    return {
        "protocols": PROTOCOLS,
        "os": os,
        "arch": arch,
        "filename": archive,
        "download_url": f"{url}/{archive}",
        "shasum": hashlib.sha256(build_release_files(repository)[archive]).hexdigest(),
        "shasums_url": f"{url}/{sums}",
        "shasums_signature_url": f"{url}/{sums}.sig",
        "signing_keys": {"gpg_public_keys": [key]},
    }
