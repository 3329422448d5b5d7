"""What did the provider itself say of its schema? Read from the newest reading; nothing is started here."""

from datetime import timedelta
from typing import Any

from portal.core.translation import gettext_noop
from verification.checks.rules.docs import LAYOUT, pages_of
from verification.checks.rules.release import report_of
from verification.checks.rules.shared_reads import code_of, link_to, state_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases.registry_package import protocols_of_manifest
from verification.sources import Sources
from verification.sources.errors import Unreadable

KEY, KNOWN = "schema.read", "schema_reading"
FRESH = timedelta(days=90)
SCHEMAS = "https://developer.hashicorp.com/terraform/plugin/framework/handling-data/schemas"
NAMING = "https://developer.hashicorp.com/terraform/plugin/best-practices/naming"
SENSITIVE = "https://developer.hashicorp.com/terraform/plugin/best-practices/sensitive-state"
MOST = 12
CHECKS_OF = (KEY, "schema.protocol", "schema.prefix", "schema.sensitive", "schema.deprecated", "schema.descriptions",
             "schema.pages")  # fmt: skip


def said_of(subject: Subject) -> dict[str, Any] | Result:
    """The newest reading, or the result that says why there is none."""
    said = subject.known.get(KNOWN)
    if not isinstance(said, dict):
        return Result(Outcome.NOT_RUN, "The schema has not been read yet.")
    if said.get("not_run"):
        return Result(Outcome.NOT_RUN, str(said["not_run"]), looked_at=_state(said))
    return said


def _state(said: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return (("version", str(said.get("version", ""))), ("reading", str(said.get("at", ""))[:16]))


@check(
    KEY,
    title=gettext_noop("Schema read from the provider"),
    advice=gettext_noop(
        "Start the released executable yourself with the plugin cookie set, and mend what it does instead."
    ),
    fresh=FRESH,
)
def read(subject: Subject, sources: Sources) -> Result:
    """The released executable, started in the sandbox, shakes hands and tells its schema, and Terraform reads the same.

    It has no network, an empty home folder, and limits of time, memory, disk and processes: reading a schema needs
    none of that. Where no Terraform is on the worker, it is read from the provider alone.
    """
    said = said_of(subject)
    if isinstance(said, Result):
        return said
    seen = tuple(_way(one) for one in said["readings"])
    bad = next((one for one in said["readings"] if not one["read"]), None)
    if bad is not None:
        return Result(Outcome.FAIL, _problem(bad), seen, _state(said))
    if said.get("differences"):
        seen += tuple(Evidence("Differs", place) for place in said["differences"][:MOST])
        summary = "The provider and Terraform tell different schemas."
        return Result(Outcome.FAIL, summary, seen, _state(said))
    offered = said["offered"]
    summary = f"{_many(offered['resources'], 'resource')} and {_many(offered['data-sources'], 'data source')}"
    more = ", the same through Terraform" if len(said["readings"]) > 1 else ""
    return Result(Outcome.PASS, f"{summary} over protocol {said['protocol']}{more}.", seen, _state(said))


def _many(names: list[str], word: str) -> str:
    return f"{len(names)} {word}{'' if len(names) == 1 else 's'}"


def _way(one: dict[str, Any]) -> Evidence:
    name = {"direct": "From the provider", "terraform": "Through Terraform"}[one["via"]]
    used = f"{one['seconds']:.1f} s, at most {one['peak'] // 1_000_000} MB of memory"
    return Evidence(name, f"read in {used}" if one["read"] else f"{one['problem']} ({used})")


def _problem(one: dict[str, Any]) -> str:
    return str(one["problem"]) if one["via"] == "direct" else f"Through Terraform: {one['problem']}"


def _rule(subject: Subject, key: str, good: str, bad: str, none: str, outcome: Outcome = Outcome.WARN) -> Result:
    """What the reading found for a rule. `good` and `bad` are filled with the numbers."""
    said = said_of(subject)
    if isinstance(said, Result):
        return said
    found = next((one for one in said.get("rules", ()) if one["rule"] == key), None)
    if found is None:
        return Result(Outcome.NOT_RUN, "The schema could not be read.", looked_at=_state(said))
    if not found["looked"]:
        return Result(Outcome.PASS, none, looked_at=_state(said))
    seen = tuple(Evidence("Place", place) for place in found["places"][:MOST])
    words = (bad if found["count"] else good).format(**found)
    return Result(outcome if found["count"] else Outcome.PASS, words, seen, _state(said))


@check(
    "schema.prefix",
    title=gettext_noop("Names begin with the provider's"),
    advice=gettext_noop(
        "Name resources and data sources PROVIDER_THING: Terraform finds the provider by the first word."
    ),
    fresh=FRESH,
    help=NAMING,
)
def prefix(subject: Subject, sources: Sources) -> Result:
    """The name of every resource, data source and ephemeral resource begins with the provider's own."""
    bad = "{count} of {looked} names do not begin with the provider's."
    return _rule(subject, "prefix", "All {looked} names do.", bad, "It offers no resources.", Outcome.FAIL)


@check(
    "schema.descriptions",
    title=gettext_noop("Descriptions in the schema"),
    advice=gettext_noop(
        "Give each resource and argument a description: editors, tfplugindocs and Crossplane show it to users."
    ),
    fresh=FRESH,
    help=SCHEMAS,
)
def descriptions(subject: Subject, sources: Sources) -> Result:
    """Every resource, data source and argument has a description."""
    bad = "{count} of {looked} have no description."
    return _rule(subject, "descriptions", "All {looked} have one.", bad, "There is nothing to describe.")


@check(
    "schema.deprecated",
    title=gettext_noop("Deprecations say what to do"),
    advice=gettext_noop(
        "Give what is deprecated a message, and say in its description too what takes its place: older versions of "
        "Terraform tell the description alone."
    ),
    fresh=FRESH,
    help=SCHEMAS,
)
def deprecated(subject: Subject, sources: Sources) -> Result:
    """What is marked as deprecated has a message, or a description that speaks of it.

    A message passes, whatever it says; only newer versions of Terraform tell of one. Without it the description must
    speak of the deprecation (as in “deprecated”, “use x instead”, “removed in 2.0”): any other text is not enough.
    """
    bad = "{count} of {looked} that are deprecated say nothing about it."
    return _rule(subject, "deprecated", "All {looked} that are deprecated say so.", bad, "Nothing is deprecated.")


@check(
    "schema.sensitive",
    title=gettext_noop("Secrets are marked as sensitive"),
    advice=gettext_noop("Mark them as sensitive or write-only, so that plans and logs do not show them."),
    fresh=FRESH,
    help=SENSITIVE,
)
def sensitive(subject: Subject, sources: Sources) -> Result:
    """What is a password, token or key by its name is marked as sensitive, or is write-only.

    By the name alone, so a name that only sounds like a secret is a warning and no more.
    """
    bad = "{count} of {looked} that are secrets by their name are not marked as sensitive."
    return _rule(subject, "sensitive", "All {looked} secrets are marked.", bad, "No name is that of a secret.")


@check(
    "schema.pages",
    title=gettext_noop("A page for everything in the schema"),
    advice=gettext_noop("Write the missing pages, best with tfplugindocs, which makes them from the schema."),
    help=LAYOUT,
)
def pages(subject: Subject, sources: Sources) -> Result:
    """Each resource, data source, ephemeral resource and function that the schema tells of has its page."""
    said = said_of(subject)
    if isinstance(said, Result):
        return said
    offered = said.get("offered") or {}
    total = sum(map(len, offered.values()))
    if not total:
        return Result(Outcome.NOT_RUN, "The schema tells of nothing that could have a page.", looked_at=_state(said))
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off.", looked_at=state_of(code))
    written, word = pages_of(code), subject.provider
    missing = [f"{c}/{n}" for c, names in offered.items() for n in names if not _names(n, word) & written[c].keys()]
    looked_at = (*_state(said), *state_of(code))
    if missing:
        seen = tuple(Evidence("No page", name, link_to(code, sources)) for name in missing[:MOST])
        return Result(Outcome.WARN, f"{len(missing)} of {total} have no page.", seen, looked_at)
    return Result(Outcome.PASS, f"All {total} have a page.", (), looked_at)


def _names(name: str, word: str) -> set[str]:
    """What the page of a thing may be called: mostly without the provider's own name."""
    return {name, name.removeprefix(f"{word}_"), name.removeprefix(f"{word.partition('-')[0]}_")}


@check(
    "schema.protocol",
    title=gettext_noop("Protocol as declared"),
    advice=gettext_noop("Name in terraform-registry-manifest.json the protocol that the provider is built to serve."),
    help="https://developer.hashicorp.com/terraform/registry/providers/publishing",
)
def protocol(subject: Subject, sources: Sources) -> Result:
    """The protocol that the provider speaks is one that its manifest or the registry declares."""
    said = said_of(subject)
    if isinstance(said, Result):
        return said
    if not said.get("protocol"):
        return Result(Outcome.NOT_RUN, "The provider has not told its protocol.", looked_at=_state(said))
    if not (subject.namespace and subject.provider):
        return Result(Outcome.NOT_RUN, "No repository is named yet, so nothing is declared.", looked_at=_state(said))
    release = report_of(subject, sources).release
    if release.listed is None:
        raise Unreadable("The registry does not tell which protocols it declares.")
    if release.version != said["version"]:
        return Result(Outcome.NOT_RUN, f"{release.version} is newer than what was read.", looked_at=_state(said))
    manifest = release.manifest
    declared = protocols_of_manifest(manifest.body) if manifest is not None and manifest.ok else None
    declared = declared or release.listed.protocols
    seen = (Evidence("Speaks", str(said["protocol"])), Evidence("Declared", ", ".join(declared) or "none"))
    if str(said["protocol"]) in {one.partition(".")[0] for one in declared}:
        return Result(Outcome.PASS, f"It speaks protocol {said['protocol']}, as declared.", seen, _state(said))
    return Result(Outcome.FAIL, f"It speaks protocol {said['protocol']}, which is not declared.", seen, _state(said))
