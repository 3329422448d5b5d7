"""Does the newest release come with what it should: a tag of its own, a bill of materials, files to be fetched?"""

import re

from portal.core.translation import gettext_noop
from verification.checks.rules.shared_reads import NO_ADDRESS, newest_of, published_releases
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import Unavailable
from verification.sources.github.client import Release
from verification.sources.http.client import PAGE, TooLong

SBOM = re.compile(
    r"sbom|bill-of-materials|cyclonedx|(?:^|[._-])bom\.(?:json|xml)$"
    r"|\.(?:spdx|cdx)(?:\.(?:json|xml|ya?ml|rdf|gz)){0,2}$",
    re.I,
)
NO_RELEASE = "No release with a version as its tag is published."


def _newest(subject: Subject, sources: Sources) -> Release | None:
    found = published_releases(subject, sources)
    if subject.tag:
        return next((release for release in found if release.tag == subject.tag), None)
    return newest_of(found)


@check(
    "repository.tag_branch",
    title=gettext_noop("No branch named like the tag"),
    advice=gettext_noop("Delete or rename the branch: the registry cannot tell it from the tag of the release."),
)
def tag_branch(subject: Subject, sources: Sources) -> Result:
    """No branch bears the name of the newest release's tag."""
    if not subject.repository:
        return NO_ADDRESS
    newest = _newest(subject, sources)
    if newest is None:
        return Result(Outcome.NOT_RUN, NO_RELEASE)
    seen = (Evidence("Release", newest.tag, newest.html_url),)
    looked_at = (("repository", subject.repository), ("release", newest.tag))
    if sources.github.has_branch(subject.repository, newest.tag):
        return Result(Outcome.FAIL, f"A branch is called {newest.tag}, like the tag.", seen, looked_at)
    return Result(Outcome.PASS, f"No branch is called {newest.tag}.", seen, looked_at)


@check(
    "repository.sbom",
    title=gettext_noop("Bill of materials"),
    advice=gettext_noop("Make one with GitHub's generator, Syft or cdxgen, and upload it with the release."),
)
def sbom(subject: Subject, sources: Sources) -> Result:
    """The newest release has a bill of materials among its files, by its name."""
    if not subject.repository:
        return NO_ADDRESS
    newest = _newest(subject, sources)
    if newest is None:
        return Result(Outcome.FAIL, NO_RELEASE)
    found = [asset for asset in newest.assets if SBOM.search(asset.name)]
    looked_at = (("repository", subject.repository), ("release", newest.tag))
    if found:
        seen = tuple(Evidence("File", asset.name, asset.url) for asset in found[:5])
        return Result(Outcome.PASS, f"{newest.tag} comes with {found[0].name}.", seen, looked_at)
    seen = (Evidence("Release", newest.tag, newest.html_url),)
    summary = f"None of the {len(newest.assets)} files of {newest.tag} is a bill of materials by its name."
    return Result(Outcome.FAIL, summary, seen, looked_at)


@check(
    "release.download",
    title=gettext_noop("A download that answers"),
    advice=gettext_noop("Name an address that anyone can fetch the plugin from, or attach it to a release."),
)
def download(subject: Subject, sources: Sources) -> Result:
    """The address that the partner names answers; where none is named, the first file of the newest release."""
    address = str(subject.answer("download"))
    if not address and subject.repository:
        newest = _newest(subject, sources)
        address = newest.assets[0].url if newest and newest.assets else ""
    if not address:
        return Result(Outcome.WARN, "No download is named, and no release has a file.")
    seen: tuple[Evidence, ...] = (Evidence("Address", address, address),)
    try:
        answer = sources.web.ask(address, PAGE)
    except TooLong:  # a whole program came back, which is the best of answers
        return Result(Outcome.PASS, "The address answers with a large file.", seen)
    seen += (Evidence("Answer", answer.status_line),)
    if answer.status == 200:
        return Result(Outcome.PASS, f"{answer.link.netloc} answers.", seen)
    if answer.status == 429 or answer.status >= 500:
        raise Unavailable(f"{answer.link.netloc} answered {answer.status_line}.")
    return Result(Outcome.WARN, f"{answer.link.netloc} answered {answer.status_line}.", seen)
