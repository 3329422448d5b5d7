"""Is what the registry offers what was released: every version, the newest one, its platforms, its protocol?"""

from datetime import timedelta

from portal.core.translation import gettext_noop
from verification.checks.rules.missing_release import Missing, missing
from verification.checks.rules.publication import NOTHING_NAMED, PUBLISHING, picture, shown, state_of
from verification.checks.rules.shared_reads import newest_of, published_releases
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result, conflict
from verification.releases import install_layout
from verification.releases.registry_package import protocols_of_manifest
from verification.sources import Sources
from verification.sources.github.client import Release
from verification.terraform.versions import Version, parse

OS_ARCH = "https://developer.hashicorp.com/terraform/registry/providers/os-arch"
PATIENCE = timedelta(hours=1)  # the registry takes in a release within minutes; an hour is never news
WITHOUT_MANIFEST = ("5.0",)


@check(
    "registry.releases",
    title=gettext_noop("Every release is in the registry"),
    advice=gettext_noop("Mend what is named, then press Resync on the provider's page in the registry."),
    help=PUBLISHING,
)
def releases(subject: Subject, sources: Sources) -> Result:
    """Each release on GitHub is a version in the registry; for one that is not, the likely cause."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found, on_github = picture(subject, sources), published_releases(subject, sources)
    absent = missing(on_github, found.versions, subject.provider)
    seen = (shown(subject, sources, found), *(_row(one, subject, sources) for one in absent[:10]))
    if not on_github:
        return Result(Outcome.FAIL, "No release is published on GitHub yet.", seen, state_of(found))
    if not absent:
        return Result(Outcome.PASS, f"All of the newest {len(on_github)} releases are there.", seen, state_of(found))
    return Result(*_judged(absent, on_github, subject), seen, state_of(found))


def _row(one: Missing, subject: Subject, sources: Sources) -> Evidence:
    """A missing release and why; where its files show no cause, a branch of the same name may be it."""
    cause = one.cause
    if not one.is_certain and sources.github.has_branch(subject.repository, one.release.tag):
        cause = f"A branch is called {one.release.tag} too, so that the tag cannot be told from it."
    return Evidence(one.release.tag, cause, one.release.html_url)


def _judged(absent: tuple[Missing, ...], on_github: tuple[Release, ...], subject: Subject) -> tuple[Outcome, str]:
    newest = newest_of(on_github)
    gone = next((one for one in absent if newest is not None and one.release.tag == newest.tag), None)
    if gone is None:
        return Outcome.WARN, f"{len(absent)} older of the newest {len(on_github)} releases are not in the registry."
    published = gone.release.published_at
    if published is not None and subject.now - published < PATIENCE:
        return Outcome.WARN, f"{gone.release.tag} is less than an hour old; the registry has not taken it in yet."
    return Outcome.FAIL, f"{gone.release.tag}, the newest release, is not in the registry."


@check(
    "registry.latest",
    title=gettext_noop("Same newest version"),
    advice=gettext_noop(
        "Press Resync on the provider's page in the registry; look at the webhook for releases if it does not help."
    ),
    help=PUBLISHING,
)
def latest(subject: Subject, sources: Sources) -> Result:
    """GitHub and the registry name the same newest version; where they contradict each other, both are shown."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found, newest = picture(subject, sources), newest_of(published_releases(subject, sources))
    seen: tuple[Evidence, ...] = (shown(subject, sources, found),)
    if newest is None or not found.newest:
        where = "GitHub has no release with a version" if newest is None else "The registry has no version"
        return Result(Outcome.FAIL, f"{where}, so there is nothing to compare.", seen, state_of(found))
    seen = (Evidence("GitHub", newest.tag, newest.html_url), *seen)
    ours, theirs = parse(newest.tag.removeprefix("v")), parse(found.newest)
    state = (*state_of(found), ("release", newest.tag))
    if ours.rank < theirs.rank:  # was a release deleted, or is one of the two behind? neither of them says
        github = Evidence("GitHub", newest.tag, newest.html_url, subject.now)
        offered = Evidence("The registry", found.newest, seen[-1].url, subject.now)
        return conflict("the newest version", github, offered, looked_at=state)
    outcome, summary = _compared(ours, theirs, newest, subject)
    return Result(outcome, summary, seen, state)


def _compared(ours: Version, theirs: Version, newest: Release, subject: Subject) -> tuple[Outcome, str]:
    if ours == theirs:
        return Outcome.PASS, f"{newest.tag} is the newest in both places."
    if newest.published_at is not None and subject.now - newest.published_at < PATIENCE:
        return Outcome.WARN, f"{newest.tag} is less than an hour old; the registry still offers {theirs}."
    return Outcome.FAIL, f"GitHub has {newest.tag}, the registry still offers {theirs}."


@check(
    "registry.platforms",
    title=gettext_noop("Platforms"),
    advice=gettext_noop(
        "Add the missing platforms to the build of the next release, best with the scaffold's GoReleaser file."
    ),
    help=OS_ARCH,
)
def platforms(subject: Subject, sources: Sources) -> Result:
    """The newest version can be installed where users work; HCP Terraform needs linux_amd64."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found = picture(subject, sources)
    if found.platforms is None:
        return Result(Outcome.NOT_RUN, "The registry names no version whose platforms could be looked at.")
    built = ", ".join(sorted(found.platforms)) or "none"
    seen = (shown(subject, sources, found), Evidence("Built for", built))
    if install_layout.NEEDED not in found.platforms:
        summary = f"{found.newest} is not built for {install_layout.NEEDED}, on which HCP Terraform runs."
        return Result(Outcome.FAIL, summary, seen, state_of(found))
    left = [platform for platform in install_layout.RECOMMENDED if platform not in found.platforms]
    if left:
        summary = f"{found.newest} is not built for {', '.join(left)}, which the registry recommends."
        return Result(Outcome.WARN, summary, seen, state_of(found))
    return Result(Outcome.PASS, f"{found.newest} is built for every recommended platform.", seen, state_of(found))


@check(
    "registry.protocols",
    title=gettext_noop("Plugin protocol"),
    advice=gettext_noop("Name the protocol in terraform-registry-manifest.json and publish it with the next release."),
    help=PUBLISHING,
)
def protocols(subject: Subject, sources: Sources) -> Result:
    """The registry tells Terraform the protocol that the manifest of the release names."""
    if not (subject.namespace and subject.provider):
        return NOTHING_NAMED
    found = picture(subject, sources)
    if not found.protocols:
        return Result(Outcome.NOT_RUN, "The registry names no protocol that could be looked at.")
    code = sources.read(
        f"code:{subject.repository}@v{found.newest}",
        lambda: sources.github.code(subject.repository, f"v{found.newest}"),
    )
    manifest = code.text("terraform-registry-manifest.json")
    named = WITHOUT_MANIFEST if manifest is None else protocols_of_manifest(manifest.encode())
    said = "no manifest, so 5.0" if manifest is None else ", ".join(named or ()) or "not readable"
    seen = (
        shown(subject, sources, found),
        Evidence("Registry", ", ".join(found.protocols)),
        Evidence("Manifest of the commit", said),
    )
    looked_at = (*state_of(found), ("commit", code.commit))
    if named is None:
        return Result(Outcome.FAIL, "terraform-registry-manifest.json names no protocol.", seen, looked_at)
    if set(named) != set(found.protocols):
        told = f"The registry says {', '.join(found.protocols)}, the manifest {', '.join(named)}."
        return Result(Outcome.FAIL, told, seen, looked_at)
    return Result(Outcome.PASS, f"Protocol {', '.join(named)} in both places.", seen, looked_at)
