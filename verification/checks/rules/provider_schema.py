"""What did the provider itself say of its schema? Read from the newest reading; nothing is started here."""

from datetime import timedelta
from typing import Any

from portal.core.translation import gettext_noop
from verification.checks.rules.docs import DOCS_LAYOUT_URL, collect_pages
from verification.checks.rules.release import read_report
from verification.checks.rules.shared_reads import build_code_state, build_code_url, read_release_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.releases.registry_package import protocols_of_manifest
from verification.sources import Sources
from verification.sources.errors import SourceError

CHECK_KEY, OBSERVATION_KEY = "schema.read", "schema_reading"
SCHEMA_MAX_AGE = timedelta(days=90)
SCHEMAS_URL = "https://developer.hashicorp.com/terraform/plugin/framework/handling-data/schemas"
NAMING_URL = "https://developer.hashicorp.com/terraform/plugin/best-practices/naming"
SENSITIVE_STATE_URL = "https://developer.hashicorp.com/terraform/plugin/best-practices/sensitive-state"
MAX_EVIDENCE_ITEMS = 12
SCHEMA_CHECK_KEYS = (CHECK_KEY, "schema.protocol", "schema.prefix", "schema.sensitive", "schema.deprecated",
                     "schema.descriptions", "schema.pages")  # fmt: skip


def load_inspection(subject: Subject) -> dict[str, Any] | Result:
    """The newest reading, or the result that says why there is none."""
    inspection = subject.known.get(OBSERVATION_KEY)
    if not isinstance(inspection, dict):
        return Result(Outcome.NOT_RUN, "The schema has not been read yet.")
    if inspection.get("not_run"):
        return Result(Outcome.NOT_RUN, str(inspection["not_run"]), looked_at=_build_state(inspection))
    return inspection


def _build_state(inspection: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return (("version", str(inspection.get("version", ""))), ("reading", str(inspection.get("at", ""))[:16]))


@register_check(
    CHECK_KEY,
    title=gettext_noop("Schema read from the provider"),
    advice=gettext_noop(
        "Start the released executable yourself with the plugin cookie set, and mend what it does instead."
    ),
    max_age=SCHEMA_MAX_AGE,
)
def check_schema_read(subject: Subject, sources: Sources) -> Result:
    """The released executable, started in the sandbox, shakes hands and tells its schema, and Terraform reads the same.

    It has no network, an empty home folder, and limits of time, memory, disk and processes: reading a schema needs
    none of that. Where no Terraform is on the worker, it is read from the provider alone.
    """
    inspection = load_inspection(subject)
    if isinstance(inspection, Result):
        return inspection
    evidence = tuple(_build_reading_evidence(reading) for reading in inspection["readings"])
    failed_reading = next((reading for reading in inspection["readings"] if not reading["read"]), None)
    if failed_reading is not None:
        return Result(Outcome.FAIL, _describe_problem(failed_reading), evidence, _build_state(inspection))
    if inspection.get("differences"):
        evidence += tuple(Evidence("Differs", place) for place in inspection["differences"][:MAX_EVIDENCE_ITEMS])
        summary = "The provider and Terraform tell different schemas."
        return Result(Outcome.FAIL, summary, evidence, _build_state(inspection))
    names = inspection["offered"]
    summary = f"{_pluralize(names['resources'], 'resource')} and {_pluralize(names['data-sources'], 'data source')}"
    suffix = ", the same through Terraform" if len(inspection["readings"]) > 1 else ""
    return Result(
        Outcome.PASS, f"{summary} over protocol {inspection['protocol']}{suffix}.", evidence, _build_state(inspection)
    )


def _pluralize(names: list[str], word: str) -> str:
    return f"{len(names)} {word}{'' if len(names) == 1 else 's'}"


def _build_reading_evidence(reading: dict[str, Any]) -> Evidence:
    name = {"direct": "From the provider", "terraform": "Through Terraform"}[reading["via"]]
    usage = f"{reading['seconds']:.1f} s, at most {reading['peak'] // 1_000_000} MB of memory"
    return Evidence(name, f"read in {usage}" if reading["read"] else f"{reading['problem']} ({usage})")


def _describe_problem(reading: dict[str, Any]) -> str:
    return str(reading["problem"]) if reading["via"] == "direct" else f"Through Terraform: {reading['problem']}"


def _build_rule_result(
    subject: Subject, key: str, pass_text: str, problem_text: str, empty_text: str, outcome: Outcome = Outcome.WARN
) -> Result:
    """What the reading found for a rule. `pass_text` and `problem_text` are filled with the numbers."""
    inspection = load_inspection(subject)
    if isinstance(inspection, Result):
        return inspection
    rule_result = next((entry for entry in inspection.get("rules", ()) if entry["rule"] == key), None)
    if rule_result is None:
        return Result(Outcome.NOT_RUN, "The schema could not be read.", looked_at=_build_state(inspection))
    if not rule_result["looked"]:
        return Result(Outcome.PASS, empty_text, looked_at=_build_state(inspection))
    evidence = tuple(Evidence("Place", place) for place in rule_result["places"][:MAX_EVIDENCE_ITEMS])
    summary = (problem_text if rule_result["count"] else pass_text).format(**rule_result)
    return Result(outcome if rule_result["count"] else Outcome.PASS, summary, evidence, _build_state(inspection))


@register_check(
    "schema.prefix",
    title=gettext_noop("Names begin with the provider's"),
    advice=gettext_noop(
        "Name resources and data sources PROVIDER_THING: Terraform finds the provider by the first word."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=NAMING_URL,
)
def check_name_prefix(subject: Subject, sources: Sources) -> Result:
    """The name of every resource, data source and ephemeral resource begins with the provider's own."""
    problem_text = "{count} of {looked} names do not begin with the provider's."
    return _build_rule_result(
        subject, "prefix", "All {looked} names do.", problem_text, "It offers no resources.", Outcome.FAIL
    )


@register_check(
    "schema.descriptions",
    title=gettext_noop("Descriptions in the schema"),
    advice=gettext_noop(
        "Give each resource and argument a description: editors, tfplugindocs and Crossplane show it to users."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=SCHEMAS_URL,
)
def check_descriptions(subject: Subject, sources: Sources) -> Result:
    """Every resource, data source and argument has a description."""
    problem_text = "{count} of {looked} have no description."
    return _build_rule_result(
        subject, "descriptions", "All {looked} have one.", problem_text, "There is nothing to describe."
    )


@register_check(
    "schema.deprecated",
    title=gettext_noop("Deprecations say what to do"),
    advice=gettext_noop(
        "Give what is deprecated a message, and say in its description too what takes its place: older versions of "
        "Terraform tell the description alone."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=SCHEMAS_URL,
)
def check_deprecations(subject: Subject, sources: Sources) -> Result:
    """What is marked as deprecated has a message, or a description that speaks of it.

    A message passes, whatever it says; only newer versions of Terraform tell of one. Without it the description must
    speak of the deprecation (as in “deprecated”, “use x instead”, “removed in 2.0”): any other text is not enough.
    """
    problem_text = "{count} of {looked} that are deprecated say nothing about it."
    return _build_rule_result(
        subject, "deprecated", "All {looked} that are deprecated say so.", problem_text, "Nothing is deprecated."
    )


@register_check(
    "schema.sensitive",
    title=gettext_noop("Secrets are marked as sensitive"),
    advice=gettext_noop("Mark them as sensitive or write-only, so that plans and logs do not show them."),
    max_age=SCHEMA_MAX_AGE,
    help=SENSITIVE_STATE_URL,
)
def check_sensitive_attributes(subject: Subject, sources: Sources) -> Result:
    """What is a password, token or key by its name is marked as sensitive, or is write-only.

    By the name alone, so a name that only sounds like a secret is a warning and no more.
    """
    problem_text = "{count} of {looked} that are secrets by their name are not marked as sensitive."
    return _build_rule_result(
        subject, "sensitive", "All {looked} secrets are marked.", problem_text, "No name is that of a secret."
    )


@register_check(
    "schema.pages",
    title=gettext_noop("A page for everything in the schema"),
    advice=gettext_noop("Write the missing pages, best with tfplugindocs, which makes them from the schema."),
    help=DOCS_LAYOUT_URL,
)
def check_schema_pages(subject: Subject, sources: Sources) -> Result:
    """Each resource, data source, ephemeral resource and function that the schema tells of has its page."""
    inspection = load_inspection(subject)
    if isinstance(inspection, Result):
        return inspection
    documented_names = inspection.get("offered") or {}
    total = sum(map(len, documented_names.values()))
    if not total:
        return Result(
            Outcome.NOT_RUN, "The schema tells of nothing that could have a page.", looked_at=_build_state(inspection)
        )
    code = read_release_code(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return Result(Outcome.NOT_RUN, "GitHub's list of the files is cut off.", looked_at=build_code_state(code))
    existing_pages, provider_name = collect_pages(code), subject.provider
    missing = [
        f"{category}/{name}"
        for category, names in documented_names.items()
        for name in names
        if not _list_page_names(name, provider_name) & existing_pages[category].keys()
    ]
    looked_at = (*_build_state(inspection), *build_code_state(code))
    if missing:
        evidence = tuple(
            Evidence("No page", name, build_code_url(code, sources)) for name in missing[:MAX_EVIDENCE_ITEMS]
        )
        return Result(Outcome.WARN, f"{len(missing)} of {total} have no page.", evidence, looked_at)
    return Result(Outcome.PASS, f"All {total} have a page.", (), looked_at)


def _list_page_names(name: str, provider_name: str) -> set[str]:
    """What the page of a thing may be called: mostly without the provider's own name."""
    return {name, name.removeprefix(f"{provider_name}_"), name.removeprefix(f"{provider_name.partition('-')[0]}_")}


@register_check(
    "schema.protocol",
    title=gettext_noop("Protocol as declared"),
    advice=gettext_noop("Name in terraform-registry-manifest.json the protocol that the provider is built to serve."),
    help="https://developer.hashicorp.com/terraform/registry/providers/publishing",
)
def check_declared_protocol(subject: Subject, sources: Sources) -> Result:
    """The protocol that the provider speaks is one that its manifest or the registry declares."""
    inspection = load_inspection(subject)
    if isinstance(inspection, Result):
        return inspection
    if not inspection.get("protocol"):
        return Result(Outcome.NOT_RUN, "The provider has not told its protocol.", looked_at=_build_state(inspection))
    if not (subject.namespace and subject.provider):
        return Result(
            Outcome.NOT_RUN, "No repository is named yet, so nothing is declared.", looked_at=_build_state(inspection)
        )
    release = read_report(subject, sources).release
    if release.version_entry is None:
        raise SourceError("The registry does not tell which protocols it declares.")
    if release.version != inspection["version"]:
        return Result(
            Outcome.NOT_RUN, f"{release.version} is newer than what was read.", looked_at=_build_state(inspection)
        )
    manifest = release.manifest
    declared_protocols = protocols_of_manifest(manifest.body) if manifest is not None and manifest.ok else None
    declared_protocols = declared_protocols or release.version_entry.protocols
    evidence = (
        Evidence("Speaks", str(inspection["protocol"])),
        Evidence("Declared", ", ".join(declared_protocols) or "none"),
    )
    if str(inspection["protocol"]) in {declared_protocol.partition(".")[0] for declared_protocol in declared_protocols}:
        return Result(
            Outcome.PASS,
            f"It speaks protocol {inspection['protocol']}, as declared.",
            evidence,
            _build_state(inspection),
        )
    return Result(
        Outcome.FAIL,
        f"It speaks protocol {inspection['protocol']}, which is not declared.",
        evidence,
        _build_state(inspection),
    )
