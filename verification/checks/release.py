"""Is the published release authentic? What the registry serves is read once; each check puts one question to it.

Each result says both: what the program makes of it, and what Terraform would say to the whole release.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from django.conf import settings

from verification.artefacts import names
from verification.artefacts.base import Remark, fail, warn
from verification.base import Evidence, NotFound, Outcome, Result, Subject, check
from verification.checks.reading import code_at, newest_of, published_releases
from verification.releases import QUESTIONS, TERRAFORM, TITLE, Report, verify
from verification.releases.package import Versions
from verification.releases.reading import Reader, Release
from verification.releases.results import NOTHING, offered, result
from verification.sources import Sources
from verification.sources.registry_protocol import RegistryProtocol, Reply
from verification.versions import BadVersion, Version, parse

PUBLISHING = "https://developer.hashicorp.com/terraform/registry/providers/publishing"
DIGESTS, NEWEST, TAGS = "release.digests", "release.newest", "release.tags"  # what the next run finds in known
ELSEWHERE = ("release.listed", "release.platforms")  # asked of the registry's own pages: registry.listed, .platforms
MOST_VERSIONS = 20  # of which digests and tags are remembered
ADVICE = {
    "release.packages": "Name the archives terraform-provider-NAME_VERSION_OS_ARCH.zip and release again.",
    "release.protocols": "Name the protocol versions in terraform-registry-manifest.json and release it with the rest.",
    "release.checksums": "Let the release tool write SHA256SUMS over all files; never edit it by hand.",
    "release.signature": "Sign SHA256SUMS with an RSA key of 4096 bits that is registered, as a binary signature.",
    "release.key": "Extend the key or register its successor, then upload the public key again.",
    "release.archive": "Never replace files of a release: publish a new version.",
    TERRAFORM: "Mend what the other checks of the release name, and publish a new version.",
}
SECONDS = 120  # for reading a whole release; a worker of the portal has 200 for all checks together
NO_PROVIDER = Result(Outcome.FAIL, "No repository is named yet, so there is no release to look at.")


def report_of(subject: Subject, sources: Sources) -> Report:
    """The release with all that is said of it, read once in a run. Raises nothing: outages are in the report."""
    wanted = f"{subject.namespace}/{subject.provider}"
    version = subject.version or subject.tag.removeprefix("v")
    return sources.read(f"release:{wanted}:{version}", lambda: _verified(subject, sources, version))


def _verified(subject: Subject, sources: Sources, version: str) -> Report:
    seconds = getattr(settings, "RELEASE_SECONDS", SECONDS)
    protocol = RegistryProtocol(sources.registry.base_url, sources.web, seconds)
    reader = Reader(protocol, subject.namespace, subject.provider, subject.now.timestamp())
    return verify(reader, version)


def terraform_says(report: Report) -> Evidence:
    """What Terraform would do with the release on the platform that is judged, and with which words."""
    said = report.terraform
    if said.accepts is None or said.outage:
        return Evidence("Terraform would", f"say something that we could not settle. {said.message}".strip())
    if said.accepts:
        return Evidence("Terraform would", f"install it on {report.platform}")
    return Evidence("Terraform would", f"refuse it on {report.platform}: {said.message}")


def state_of(release: Release) -> tuple[tuple[str, str], ...]:
    """Which bytes were looked at."""
    listed = next((platform.sums for platform in release.platforms if platform.sums and platform.sums.ok), None)
    digest = listed.answer.sha256 if listed and listed.answer else ""
    return (("version", release.version), *((("checksums", digest),) if digest else ()))


def finished(found: Result, report: Report) -> Result:
    """A result with Terraform's word and with what was looked at."""
    return replace(found, evidence=(*found.evidence, terraform_says(report)), looked_at=state_of(report.release))


def _asked(id: str, words: str) -> Callable[[Subject, Sources], Result]:
    """The check that puts one of verification.releases' questions, in these words."""

    def ask(subject: Subject, sources: Sources) -> Result:
        if not (subject.namespace and subject.provider):
            return NO_PROVIDER
        report = report_of(subject, sources)
        found = next(answered.result for answered in report.checks if answered.id == id)
        return finished(found, report)

    ask.__doc__ = words
    return ask


for _id, _title, _words in (
    *((id, title, question.__doc__ or "") for id, title, question in QUESTIONS if id not in ELSEWHERE),
    (TERRAFORM, TITLE, "Terraform would install the release on every platform that is listed."),
):
    check(_id, title=_title, advice=ADVICE[_id], help=PUBLISHING)(_asked(_id, _words))


@check(
    "release.files",
    title="Files of the release",
    advice="Upload the archives, SHA256SUMS, its binary signature and the manifest under the published names.",
    help=PUBLISHING,
)
def files(subject: Subject, sources: Sources) -> Result:
    """The files of the release on GitHub are complete and named as the registry expects them."""
    if not subject.repository:
        return NO_PROVIDER
    published = published_releases(subject, sources)
    wanted = subject.tag or (f"v{subject.version}" if subject.version else "")
    chosen = next((r for r in published if r.tag == wanted), None) if wanted else newest_of(published)
    if chosen is None:
        return Result(Outcome.FAIL, f"There is no release {wanted or 'with a version as its tag'} on GitHub.")
    found = names.remarks([asset.name for asset in chosen.assets], subject.provider, chosen.tag[1:])
    found += tuple(fail("empty", f"{asset.name} is empty.") for asset in chosen.assets if asset.size == 0)
    seen = (Evidence("Release", chosen.tag, chosen.html_url), *(Evidence("Remark", remark.text) for remark in found))
    said = result(list(found), f"{chosen.tag} has its {len(chosen.assets)} files.", seen)
    return replace(said, looked_at=(("release", chosen.tag),))


@check(
    "release.unchanged",
    title="Files as they were published",
    advice="Publish a new version with the new files: users who have the old checksums can no longer install this one.",
    help=PUBLISHING,
)
def unchanged(subject: Subject, sources: Sources) -> Result:
    """The files of a version are those that were seen when it was first looked at."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    report = report_of(subject, sources)
    release, now = report.release, digests_of(report.release)
    if not now:
        return finished(NOTHING, report)
    every = _mapping(subject.known.get(DIGESTS))
    before = _mapping(every.get(release.version))
    changed = {name: digest for name, digest in now.items() if before.get(name, digest) != digest}
    found = [_replaced(name) for name in changed]
    seen = tuple(
        Evidence(name, f"{before[name][:12]} when it was first seen, now {new[:12]}") for name, new in changed.items()
    )
    count = f"All {len(now)} files are" if len(now) > 1 else "The one file is"
    good = f"{count} as first seen." if before else f"{count} remembered from now on."
    remembered = _newest({**every, release.version: {**now, **before}})
    return replace(finished(result(found, good, seen), report), remember={DIGESTS: remembered})


def _replaced(name: str) -> Remark:
    if name.endswith(".sig"):
        return warn("signed_again", f"{name} was replaced: the same list was signed again.")
    return fail("replaced", f"{name} was replaced after it was published: other bytes under the same version.")


def digests_of(release: Release) -> dict[str, str]:
    """The SHA-256 of every file of the release that was read, by its name."""
    found: dict[str, str] = {}
    for platform in offered(release):
        for reply in (platform.sums, platform.signature, platform.archive_reply):
            found |= _digest(reply)
    return found | _digest(release.manifest)


def _digest(reply: Reply | None) -> dict[str, str]:
    if reply is None or not reply.ok or reply.answer is None:
        return {}
    return {unquote(urlsplit(reply.address).path.rpartition("/")[2])[:200]: reply.answer.sha256}


@check(
    "release.tag",
    title="Tag that stays",
    advice="Put the tag back on the commit that was released, and release what changed as a new version.",
)
def tag(subject: Subject, sources: Sources) -> Result:
    """The release's tag names the commit that it named when it was first looked at."""
    if not subject.repository:
        return NO_PROVIDER
    released = newest_of(published_releases(subject, sources))
    chosen = subject.tag or (released.tag if released else "")
    if not chosen:
        return Result(Outcome.NOT_RUN, "There is no release yet, so there is no tag to look at.")
    try:
        commit = code_at(subject, sources, chosen).commit
    except NotFound:
        return Result(Outcome.FAIL, f"The tag {chosen} does not exist in the repository.", absent=f"the tag {chosen}")
    every = _mapping(subject.known.get(TAGS))
    before, state = str(every.get(chosen, commit)), (("tag", chosen), ("commit", commit))
    remember = {TAGS: _newest({**every, chosen: before})}
    if before == commit:
        return Result(Outcome.PASS, f"{chosen} is the commit {commit[:7]}.", looked_at=state, remember=remember)
    seen = (Evidence("First seen", before), Evidence("Now", commit))
    return Result(Outcome.FAIL, f"{chosen} was moved to another commit.", seen, state, remember=remember)


@check(
    "release.newest",
    title="No step back",
    advice="Never take a version back: publish a newer one. Tell the program if the registry is at fault.",
)
def newest(subject: Subject, sources: Sources) -> Result:
    """The registry's newest version is not older than the newest that was ever seen there."""
    if not (subject.namespace and subject.provider):
        return NO_PROVIDER
    report = report_of(subject, sources)
    listed = report.release.versions.value
    if listed is None:
        return next(answered.result for answered in report.checks if answered.id == "release.listed")
    highest, known = _highest(listed), str(subject.known.get(NEWEST, ""))
    mark = _read(known)
    if mark is not None and (highest is None or highest.rank < mark.rank):
        summary = f"The registry's newest version is {highest or 'none'}, and it was {known}."
        seen = (Evidence("Highest ever seen", known), Evidence("Now", str(highest or "none")))
        return Result(Outcome.FAIL, summary, seen, absent=f"the version {known}")
    if highest is None:
        return Result(Outcome.FAIL, "The registry lists no version.")
    good = f"{highest} is the newest version, and none newer was ever seen."
    return Result(Outcome.PASS, good, looked_at=(("version", str(highest)),), remember={NEWEST: str(highest)})


def _highest(listed: Versions) -> Version | None:
    """The highest version that is listed, releases before pre-releases."""
    every = [version for one in listed.listed if (version := _read(one.version)) is not None]
    return max(every, key=lambda v: (not v.is_prerelease, v.rank), default=None)


def _read(text: str) -> Version | None:
    try:
        return parse(text) if text else None
    except BadVersion:
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _newest(every: dict[str, Any]) -> dict[str, Any]:
    """The entries that were written last."""
    return dict(list(every.items())[-MOST_VERSIONS:])
