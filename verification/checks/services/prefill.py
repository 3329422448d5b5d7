"""What does the repository already answer, so that nobody has to type it?"""

from typing import Any

from django.utils.translation import gettext as _

from portal.core.repository_urls import BadAddress, parse_repository, product_of
from verification.sources import factory
from verification.sources.errors import NotFound, Unreadable
from verification.sources.github.client import GitHub, Release, Repository

FILLED = ("name", "description", "licence", "latest_release", "homepage")


def prefill(address: str, client: GitHub | None = None) -> dict[str, Any]:
    """Values for the start form, read from GitHub.

    Always holds repository ("owner/name"), repository_id, repository_owner_id, FILLED as texts, `from_github`
    (the names of the fields that GitHub answered), `error` (about the address itself) and `problem` (why GitHub
    gave nothing: the form stays usable by hand). Blank texts and None ids stand for what is not known.
    """
    values: dict[str, Any] = dict.fromkeys(("repository", *FILLED, "error", "problem"), "")
    values |= {"repository_id": None, "repository_owner_id": None, "from_github": []}
    try:
        values["repository"] = parse_repository(address)
    except BadAddress as sentence:
        return values | {"error": str(sentence)}
    client = client or factory.github()
    try:
        repository = client.repository(values["repository"])
    except NotFound:
        return values | {"problem": _not_seen(values["repository"])}
    except Unreadable as refusal:
        return values | {"problem": _("%(why)s Fill in the fields by hand; nothing is lost.") % {"why": refusal}}
    answered = _answers(repository, _latest(client, repository.full_name))
    return values | answered | {"from_github": [key for key in FILLED if answered[key]]}


def _not_seen(full_name: str) -> str:
    return _(
        "GitHub shows no public repository %(name)s. Check the address, or make the repository public; "
        "until then, fill in the fields by hand."
    ) % {"name": full_name}


def _answers(repository: Repository, latest: Release | None) -> dict[str, Any]:
    return {
        "repository": repository.full_name,
        "repository_id": repository.id,
        "repository_owner_id": repository.owner_id,
        "name": _title(product_of(repository.name)),
        "description": repository.description,
        "licence": repository.licence_spdx,
        "latest_release": latest.tag if latest else "",
        "homepage": repository.homepage if repository.homepage.startswith(("https://", "http://")) else "",
    }


def _title(name: str) -> str:
    """ "rocket-launcher" as a person writes it: "Rocket launcher"."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _latest(client: GitHub, full_name: str) -> Release | None:
    """The newest published release; None too where GitHub does not say."""
    try:
        releases = client.releases(full_name)
    except Unreadable:
        return None
    return next((r for r in releases if not r.draft and not r.prerelease), None)
