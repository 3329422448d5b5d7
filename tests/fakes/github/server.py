"""GitHub fake: an emulator and a proxy, with methods to seed repositories and to cause faults."""

import base64
import contextlib
import http.client
import json
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes import signed_releases
from tests.fakes.github.apps import Apps
from tests.fakes.github.install import ensure_node_modules, find_node
from tests.fakes.github.proxy import Proxy
from tests.fakes.github.state import OWNER_TOKEN, Fault
from tests.fakes.github.tracker import Tracker
from tests.fakes.github.user_access import UserAccess
from tests.servers.base import find_free_port

TOKEN = "token-of-the-portal"  # can read public repositories
READY_SECONDS = 15
TEXTS = Path(__file__).parents[3] / "verification/licenses/data/texts"
BLANKS = ("<year> <copyright holders>", "<year> <owner>", "[yyyy] [name of copyright owner]")


@dataclass(frozen=True)
class Repo:
    """A repository to seed.

    `releases` are tags, oldest first; `license` is an SPDX ID, or None for no license file; `files` are (path, text);
    `extra` are more fields of GitHub's response, such as ("archived", True).
    """

    full_name: str
    description: str = ""
    license: str | None = "MPL-2.0"
    language: str | None = "Go"
    releases: tuple[str, ...] = ("v1.0.0",)
    homepage: str = ""
    private: bool = False
    topics: tuple[str, ...] = ()
    extra: tuple[tuple[str, Any], ...] = ()
    files: tuple[tuple[str, str], ...] = ()


def build_license_text(spdx: str) -> str:
    """Return the text of a license with its blanks filled in, or one line if the text isn't stored."""
    path = TEXTS / f"{spdx}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else f"All of this is under terms called {spdx}.\n"
    for blank in BLANKS:
        text = text.replace(blank, "2026 Acme")
    return text


class GitHub:
    """The emulator behind the proxy. `url` stays the same after a reset."""

    def __init__(self) -> None:
        self.entry = ensure_node_modules()
        self.folder = tempfile.TemporaryDirectory(prefix="github-")
        self.proxy = Proxy()
        self.url = self.proxy.url
        self.process: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self.proxy.serve_forever, daemon=True)
        self.seeded: tuple[Repo, ...] = ()
        self.people: tuple[dict[str, str], ...] = ()
        self.is_touched = True  # changed since it was seeded

    def start(self) -> "GitHub":
        self.thread.start()
        try:
            self.seed()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        self.proxy.state.released.set()
        self.proxy.shutdown()
        self.proxy.server_close()
        self.thread.join(5)
        self._stop_emulator()
        self.folder.cleanup()

    def reset(self, *, hidden: bool = True) -> None:
        """Remove faults and recorded requests, and with `hidden` all repositories until the next seed."""
        state = self.proxy.state
        state.released.set()
        self.proxy.state = type(state)(upstream=state.upstream, tokens={TOKEN}, hidden=hidden)
        self._set_proxy_fields(self.seeded)

    def seed(self, *repos: Repo, people: tuple[dict[str, str], ...] = ()) -> None:
        """Replace everything with these repositories; their owners become organizations.

        `people` can sign in: {"login": "alice", "name": "Alice Archer", "email": "alice@acme.example"}.
        """
        if not self.is_touched and (repos, people) == (self.seeded, self.people):
            self.reset(hidden=False)
            return
        self._stop_emulator()
        owners = sorted({repo.full_name.split("/")[0] for repo in repos})
        members = [{"login": "keeper", "role": "admin"}]
        scopes = ["repo", "user"]
        config = {
            "tokens": {t: {"login": who, "scopes": scopes} for t, who in ((TOKEN, "portal"), (OWNER_TOKEN, "keeper"))},
            "github": {
                "users": [{"login": "portal"}, {"login": "keeper"}, *people],
                "orgs": [{"login": owner, "name": owner, "members": members} for owner in owners],
                "repos": [build_seed(repo) for repo in repos],
            },
        }
        path = Path(self.folder.name) / "seed.json"
        path.write_text(json.dumps(config))
        self._start_emulator(path)
        self.seeded = repos
        self.people = people
        self.reset(hidden=False)
        for repo in repos:
            license = (("LICENSE", build_license_text(repo.license)),) if repo.license else ()
            for path, text in (*license, *repo.files):
                self.commit_file(repo.full_name, path, text)
            for tag in repo.releases:
                self.publish(repo.full_name, tag)
        self.is_touched = False

    def publish(self, full_name: str, tag: str) -> None:
        """Publish a release. A release of a Terraform provider gets all its signed files."""
        release_id = self.create_release(full_name, tag)
        name = full_name.partition("/terraform-provider-")[2]
        if name and re.fullmatch(r"v\d+\.\d+\.\d+", tag):
            for file, content in signed_releases.build_release(name, tag[1:]).files.items():
                self.upload_asset(full_name, release_id, tag, file, content)

    def commit_file(self, full_name: str, path: str, text: str | None) -> str:
        """Commit a file to the default branch, or delete it if there is no text. Return the commit."""
        address = f"/repos/{full_name}/contents/{path}"
        body: dict[str, Any] = {"message": f"{'Write' if text is not None else 'Remove'} {path}"}
        with contextlib.suppress(AssertionError):  # a new file
            body["sha"] = self.request("GET", address)["sha"]
        if text is None:
            return str(self.request("DELETE", address, body)["commit"]["sha"])
        body["content"] = base64.b64encode(text.encode()).decode()
        return str(self.request("PUT", address, body)["commit"]["sha"])

    def create_tag(self, full_name: str, tag: str) -> None:
        """Tag the newest commit unless the tag exists, as GitHub does for a new release."""
        branch = self.request("GET", f"/repos/{full_name}")["default_branch"]
        head = self.request("GET", f"/repos/{full_name}/commits/{branch}")["sha"]
        try:
            self.request("POST", f"/repos/{full_name}/git/refs", {"ref": f"refs/tags/{tag}", "sha": head})
        except AssertionError as refusal:
            if "422" not in str(refusal):
                raise

    def create_release(self, full_name: str, tag: str, *, draft: bool = False, prerelease: bool = False) -> int:
        """Publish a release. Return its ID."""
        if not draft:
            self.create_tag(full_name, tag)
        body = {"tag_name": tag, "name": tag, "draft": draft, "prerelease": prerelease}
        return int(self.request("POST", f"/repos/{full_name}/releases", body)["id"])

    def upload_asset(self, full_name: str, release: int, tag: str, name: str, content: bytes) -> int:
        """Attach a file that can be downloaded to a release. Return its ID."""
        created_asset = self.request("POST", f"/repos/{full_name}/releases/{release}/assets?name={name}", content)
        self.proxy.state.assets[str(created_asset["id"])] = content
        self.proxy.state.downloads[(full_name.lower(), tag, name)] = content
        return int(created_asset["id"])

    def rename(self, old: str, new: str) -> None:
        """Answer the old name with a redirect to the new one, which must be seeded."""
        self.proxy.state.moved[old.lower()] = new

    def set_license(self, full_name: str, spdx: str | None) -> None:
        self.proxy.state.licenses[full_name.lower()] = spdx

    def set_extra(self, full_name: str, **fields: Any) -> None:
        """Set more fields of GitHub's response about a repository."""
        self.proxy.state.extra.setdefault(full_name.lower(), {}).update(fields)

    def fail(self, path: str, kind: int | str, times: int | None = None) -> None:
        """Cause a fault on matching paths; see Fault."""
        self.proxy.state.faults.append(Fault(path, kind, times))

    def track(self, tracker: Tracker) -> Tracker:
        """Let the tracker answer for the issues of its repository."""
        self.proxy.state.trackers[tracker.full_name.lower()] = tracker
        return tracker

    @property
    def apps(self) -> Apps:
        """Return the Apps that this GitHub knows; tests add them."""
        return self.proxy.state.apps

    @property
    def user_access(self) -> UserAccess:
        """Return who granted access to the App, and what it can read."""
        return self.proxy.state.user_access

    @property
    def requests(self) -> list[str]:
        """Return the requests since the last reset, such as "GET /repos/acme/rocket"."""
        return self.proxy.state.requests

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to the emulator as the owner of all repositories."""
        self.is_touched = self.is_touched or method != "GET"
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.state.upstream, timeout=10)
        request_body = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"token {OWNER_TOKEN}", "Content-Type": "application/json"}
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/octet-stream"
        try:
            connection.request(method, path, request_body, headers)
            response = connection.getresponse()
            response_body = response.read()
        finally:
            connection.close()
        if response.status >= 400:
            raise AssertionError(f"The emulator refused {method} {path}: {response.status} {response_body[:300]!r}")
        return json.loads(response_body) if response_body else None

    def _set_proxy_fields(self, repos: tuple[Repo, ...]) -> None:
        for repo in repos:
            self.set_license(repo.full_name, repo.license)
            self.set_extra(repo.full_name, homepage=repo.homepage, **dict(repo.extra))

    def _start_emulator(self, seed: Path) -> None:
        port = find_free_port()
        command = [str(find_node()), str(self.entry), "start", "-s", "github", "-p", str(port)]
        with (Path(self.folder.name) / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--base-url", self.url, "--seed", str(seed)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder.name,
            )
        self.proxy.state.upstream = port
        deadline = time.monotonic() + READY_SECONDS
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The emulator did not start: {(Path(self.folder.name) / 'log').read_text()}")
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            self.request("GET", "/user")
        except (OSError, http.client.HTTPException):
            return False
        return True

    def _stop_emulator(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)
            self.process = None


def build_seed(repo: Repo) -> dict[str, Any]:
    """Return a repository in the emulator's seed format."""
    owner, name = repo.full_name.split("/")
    return {
        "owner": owner,
        "name": name,
        "description": repo.description,
        "language": repo.language,
        "topics": list(repo.topics),
        "private": repo.private,
        "auto_init": True,
    }
