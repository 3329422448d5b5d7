"""Checks of the provider's own schema, as the newest inspection read it. The checks start nothing."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from portal.core.translation import gettext_noop
from portal.core.value_types import JsonObject
from verification.checks.rules.docs import DOCS_LAYOUT_URL, collect_pages
from verification.checks.rules.release import read_report
from verification.checks.rules.shared_reads import (
    TRUNCATED_RESULT,
    add_state,
    build_code_state,
    build_code_url,
    read_release_code,
    with_value,
)
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
SCHEMA_CHECK_KEYS = (
    CHECK_KEY,
    "schema.protocol",
    "schema.prefix",
    "schema.sensitive",
    "schema.deprecated",
    "schema.descriptions",
    "schema.pages",
)


def load_inspection(subject: Subject) -> JsonObject | Result:
    """Return the newest inspection, or the result that explains why it is missing."""
    inspection = subject.known.get(OBSERVATION_KEY)
    if not isinstance(inspection, dict):
        return Result(Outcome.NOT_RUN, "The portal hasn't read the schema yet.")
    if inspection.get("not_run"):
        return Result(Outcome.NOT_RUN, str(inspection["not_run"]), looked_at=_build_state(inspection))
    return inspection


def _build_state(inspection: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return (("version", str(inspection.get("version", ""))), ("reading", str(inspection.get("at", ""))[:16]))


with_inspection = with_value(lambda subject, _: load_inspection(subject), add_state(_build_state))


@register_check(
    CHECK_KEY,
    title=gettext_noop("Readable provider schema"),
    advice=gettext_noop("Start the released executable yourself with the plugin cookie set, then fix the error."),
    max_age=SCHEMA_MAX_AGE,
)
@with_inspection
def check_schema_read(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    """The released executable completes the plugin handshake in the sandbox and returns its schema. Terraform reads the
    same schema.

    The sandbox has no network, an empty home folder, and limits on time, memory, disk, and processes. Reading a schema
    needs none of these. If the worker has no Terraform, we read the schema directly only.
    """
    evidence = tuple(_build_reading_evidence(reading) for reading in inspection["readings"])
    failed_reading = next((reading for reading in inspection["readings"] if not reading["read"]), None)
    if failed_reading is not None:
        return Result(Outcome.FAIL, _describe_problem(failed_reading), evidence)
    if inspection.get("differences"):
        evidence += tuple(Evidence("Differs", place) for place in inspection["differences"][:MAX_EVIDENCE_ITEMS])
        summary = "The provider and Terraform return different schemas."
        return Result(Outcome.FAIL, summary, evidence)
    names = inspection["offered"]
    summary = f"{_pluralize(names['resources'], 'resource')} and {_pluralize(names['data-sources'], 'data source')}"
    suffix = ", the same through Terraform" if len(inspection["readings"]) > 1 else ""
    return Result(Outcome.PASS, f"{summary} over protocol {inspection['protocol']}{suffix}.", evidence)


def _pluralize(names: list[str], word: str) -> str:
    return f"{len(names)} {word}{'' if len(names) == 1 else 's'}"


def _build_reading_evidence(reading: JsonObject) -> Evidence:
    name = {"direct": "From the provider", "terraform": "Through Terraform"}[reading["via"]]
    usage = f"{reading['seconds']:.1f} s, at most {reading['peak'] // 1_000_000} MB of memory"
    return Evidence(name, f"read in {usage}" if reading["read"] else f"{reading['problem']} ({usage})")


def _describe_problem(reading: Mapping[str, object]) -> str:
    return str(reading["problem"]) if reading["via"] == "direct" else f"Through Terraform: {reading['problem']}"


def _build_rule_result(
    subject: Subject, key: str, pass_text: str, problem_text: str, empty_text: str, outcome: Outcome = Outcome.WARN
) -> Result:
    """Return the result of a rule. `pass_text` and `problem_text` have placeholders for the rule's numbers."""
    inspection = load_inspection(subject)
    if isinstance(inspection, Result):
        return inspection
    rule_result = next((entry for entry in inspection.get("rules", ()) if entry["rule"] == key), None)
    if rule_result is None:
        return Result(Outcome.NOT_RUN, "The schema couldn't be read.", looked_at=_build_state(inspection))
    if not rule_result["looked"]:
        return Result(Outcome.PASS, empty_text, looked_at=_build_state(inspection))
    evidence = tuple(Evidence("Place", place) for place in rule_result["places"][:MAX_EVIDENCE_ITEMS])
    summary = (problem_text if rule_result["count"] else pass_text).format(**rule_result)
    return Result(outcome if rule_result["count"] else Outcome.PASS, summary, evidence, _build_state(inspection))


@register_check(
    "schema.prefix",
    title=gettext_noop("Provider prefix in names"),
    advice=gettext_noop(
        "Name resources and data sources PROVIDER_THING. Terraform finds the provider by the first word."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=NAMING_URL,
)
def check_name_prefix(subject: Subject, sources: Sources) -> Result:
    """The name of every resource, data source, and ephemeral resource starts with the provider's name."""
    problem_text = "{count} of {looked} names don't start with the provider's name."
    return _build_rule_result(
        subject,
        "prefix",
        "All {looked} names start with the provider's name.",
        problem_text,
        "The provider has no resources.",
        Outcome.FAIL,
    )


@register_check(
    "schema.descriptions",
    title=gettext_noop("Descriptions in the schema"),
    advice=gettext_noop(
        "Describe each resource and argument. Editors, tfplugindocs, and Crossplane show the descriptions to users."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=SCHEMAS_URL,
)
def check_descriptions(subject: Subject, sources: Sources) -> Result:
    """Every resource, data source, and argument has a description."""
    problem_text = "{count} of {looked} items have no description."
    return _build_rule_result(
        subject, "descriptions", "All {looked} items have a description.", problem_text, "There is nothing to describe."
    )


@register_check(
    "schema.deprecated",
    title=gettext_noop("Deprecation messages"),
    advice=gettext_noop(
        "Add a deprecation message. Name the replacement in the description too, because older Terraform "
        "versions show only the description."
    ),
    max_age=SCHEMA_MAX_AGE,
    help=SCHEMAS_URL,
)
def check_deprecations(subject: Subject, sources: Sources) -> Result:
    """Every deprecated item has a message, or a description that mentions the deprecation.

    Any message passes, but only newer Terraform versions show messages. Without a message, the description must mention
    the deprecation, as in “deprecated”, “use x instead”, or “removed in 2.0”.
    """
    problem_text = "{count} of {looked} deprecated items don't mention their deprecation."
    return _build_rule_result(
        subject,
        "deprecated",
        "All {looked} deprecated items mention their deprecation.",
        problem_text,
        "Nothing is deprecated.",
    )


@register_check(
    "schema.sensitive",
    title=gettext_noop("Sensitive secrets"),
    advice=gettext_noop("Mark these attributes as sensitive or write-only so that plans and logs don't show them."),
    max_age=SCHEMA_MAX_AGE,
    help=SENSITIVE_STATE_URL,
)
def check_sensitive_attributes(subject: Subject, sources: Sources) -> Result:
    """Every attribute named like a password, token, or key is sensitive or write-only.

    We compare names only. A name that merely sounds like a secret causes a warning at most.
    """
    problem_text = "{count} of {looked} attributes that are named like secrets aren't sensitive."
    return _build_rule_result(
        subject,
        "sensitive",
        "All {looked} attributes that are named like secrets are sensitive.",
        problem_text,
        "No attribute is named like a secret.",
    )


@register_check(
    "schema.pages",
    title=gettext_noop("Page for everything in the schema"),
    advice=gettext_noop("Add the missing pages. We recommend tfplugindocs, which generates pages from the schema."),
    help=DOCS_LAYOUT_URL,
)
@with_inspection
def check_schema_pages(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    """Each resource, data source, ephemeral resource, and function in the schema has a page."""
    documented_names = inspection.get("offered") or {}
    total = sum(map(len, documented_names.values()))
    if not total:
        return Result(Outcome.NOT_RUN, "The schema contains nothing that needs a page.")
    code = read_release_code(subject, sources)
    if isinstance(code, Result):
        return code
    if code.cut:
        return replace(TRUNCATED_RESULT, looked_at=build_code_state(code))
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
            Evidence("Missing page", name, build_code_url(code, sources)) for name in missing[:MAX_EVIDENCE_ITEMS]
        )
        return Result(Outcome.WARN, f"{len(missing)} of {total} items have no page.", evidence, looked_at)
    return Result(Outcome.PASS, f"All {total} items have a page.", (), looked_at)


def _list_page_names(name: str, provider_name: str) -> set[str]:
    """Return the possible page names of an item, which usually omit the provider's name."""
    return {name, name.removeprefix(f"{provider_name}_"), name.removeprefix(f"{provider_name.partition('-')[0]}_")}


@register_check(
    "schema.protocol",
    title=gettext_noop("Declared protocol"),
    advice=gettext_noop("Set the protocol that the provider serves in terraform-registry-manifest.json."),
    help="https://developer.hashicorp.com/terraform/registry/providers/publishing",
)
@with_inspection
def check_declared_protocol(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    """The manifest or the registry declares the protocol that the provider speaks."""
    if not inspection.get("protocol"):
        return Result(Outcome.NOT_RUN, "The provider didn't report its protocol.")
    if not (subject.namespace and subject.provider):
        return Result(Outcome.NOT_RUN, "No repository is set, so no protocol is declared.")
    release = read_report(subject, sources).release
    if release.version_entry is None:
        raise SourceError("The registry doesn't list the declared protocols.")
    if release.version != inspection["version"]:
        return Result(Outcome.NOT_RUN, f"{release.version} is newer than the schema that we read.")
    manifest = release.manifest
    declared_protocols = protocols_of_manifest(manifest.body) if manifest is not None and manifest.ok else None
    declared_protocols = declared_protocols or release.version_entry.protocols
    evidence = (
        Evidence("Speaks", str(inspection["protocol"])),
        Evidence("Declared", ", ".join(declared_protocols) or "none"),
    )
    if str(inspection["protocol"]) in {declared_protocol.partition(".")[0] for declared_protocol in declared_protocols}:
        return Result(Outcome.PASS, f"The provider speaks protocol {inspection['protocol']}, as declared.", evidence)
    return Result(
        Outcome.FAIL, f"The provider speaks protocol {inspection['protocol']}, which isn't declared.", evidence
    )
