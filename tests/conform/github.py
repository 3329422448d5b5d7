"""What the portal reads of a repository compared with what PyGithub reads from the same GitHub server.

The server is the fake of the tests: a third-party emulator behind a proxy. The portal has its own types for GitHub's
responses, which share nothing with the objects of PyGithub.
"""

from collections.abc import Iterator
from typing import Any

from django.test import override_settings

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.fakes.github.install import GitHubUnavailableError
from tests.fakes.github.server import TOKEN, GitHub, Repo
from verification.sources.github.client import GitHubClient as Client

REFERENCE = "PyGithub, reading the same GitHub stand-in"
REPOSITORIES = (
    Repo("acme/terraform-provider-rocket", "Launches rockets", releases=("v0.9.0", "v1.0.0")),
    Repo(
        "Globex/Nomad-Driver", language=None, releases=(), topics=("nomad", "driver"), homepage="https://globex.example"
    ),
    Repo("initech/vault-plugin", "Łódź 火箭", license=None, extra=(("archived", True),)),
    Repo(
        "hooli/packer-plugin",
        license="Apache-2.0",
        files=(("docs/index.md", "# Hooli\n"), ("main.go", "package main\n")),
    ),
)
FIELDS = (
    "id",
    "full_name",
    "name",
    "description",
    "archived",
    "default_branch",
    "homepage",
    "language",
    "html_url",
)


def run(options: RunOptions) -> SuiteReport:
    """Compare repositories, releases, assets and files, field by field."""
    try:
        server = GitHub().start()
    except GitHubUnavailableError as reason:
        return SuiteReport(REFERENCE, 0, not_run=f"The GitHub fake can't be installed: {reason}")
    try:
        server.seed(*REPOSITORIES)
        with override_settings(ALLOW_LOOPBACK_HTTP=True, GITHUB_API_URL=server.url):
            facts = [fact for repo in REPOSITORIES for fact in read_both(server.url, repo)]
    finally:
        server.stop()
    disagreements = (Disagreement(case, repr(ours), repr(theirs)) for case, ours, theirs in facts if ours != theirs)
    return SuiteReport(REFERENCE, len(facts), tuple(disagreements), figures=(("Repositories", str(len(REPOSITORIES))),))


def read_both(url: str, repo: Repo) -> Iterator[tuple[str, Any, Any]]:
    """Yield each fact of a repository with the portal's value and PyGithub's."""
    import github

    client = Client(TOKEN)
    reference = github.Github(auth=github.Auth.Token(TOKEN), base_url=url, retry=None)
    try:
        mine = client.get_repository(repo.full_name)
        theirs = reference.get_repo(repo.full_name)
        for name in FIELDS:
            value = getattr(mine, name)
            yield f"{repo.full_name} {name}", value, getattr(theirs, name) or type(value)()
        yield f"{repo.full_name} owner", (mine.owner_id, mine.owner_type), (theirs.owner.id, theirs.owner.type)
        yield f"{repo.full_name} topics", sorted(mine.topics), sorted(theirs.topics)
        yield f"{repo.full_name} license", mine.license_spdx, theirs.license.spdx_id if theirs.license else ""
        yield from read_releases(client, repo.full_name, theirs)
        yield from read_code(client, repo.full_name, theirs)
    finally:
        client.close()
        reference.close()


def read_releases(client: Client, name: str, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the releases in GitHub's order, and the assets of each."""
    mine = client.list_releases(name)
    releases = list(theirs.get_releases())
    yield f"{name} releases", [each.tag for each in mine], [each.tag_name for each in releases]
    for one, other in zip(mine, releases, strict=False):
        yield f"{name} {one.tag} published", one.published_at, other.published_at
        yield f"{name} {one.tag} draft", one.draft, other.draft
        assets = [(each.id, each.name, each.size) for each in one.assets]
        yield f"{name} {one.tag} assets", assets, [(each.id, each.name, each.size) for each in other.assets]


def read_code(client: Client, name: str, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the commit of the default branch, its files, and the text of each."""
    code = client.get_snapshot(name, theirs.default_branch)
    branch = theirs.get_branch(theirs.default_branch)
    yield f"{name} commit", code.commit, branch.commit.sha
    tree = theirs.get_git_tree(branch.commit.sha, recursive=True).tree
    yield f"{name} files", [each.path for each in code.files], [each.path for each in tree if each.type == "blob"]
    for each in code.files:
        text = theirs.get_contents(each.path, ref=branch.commit.sha).decoded_content.decode()
        yield f"{name} {each.path}", code.read_text(each.path), text


SUITE = Suite("github", "GitHub facts", run)
