"""Checks of the provider's own schema, as the newest inspection read it. The checks start nothing."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from portal.core.content_files import Content, load_content
from portal.core.value_types import JsonObject
from verification.checks.rules.docs import build_pages_result, collect_pages, list_page_names
from verification.checks.rules.release import read_report
from verification.checks.rules.shared_reads import add_state, build_code_state, read_whole_code, with_value
from verification.checks.types import CONTENT_FOLDER, Subject, load_descriptions, register_check
from verification.outcomes import Evidence, Outcome, Result, format_count
from verification.releases.registry_package import parse_manifest_protocols
from verification.sources import Sources

CHECK_KEY = "schema.read"
FEATURES_KEY = "schema.features"
OBSERVATION_KEY = "schema_reading"
MAX_EVIDENCE_ITEMS = 12
# The feature requirements of the tier Partner Premier, and the items of which a provider needs at least one each.
PREMIER_FEATURES = {
    "ephemeral resources": ("ephemeral_resources",),
    "Terraform Search": ("resource_identities", "list_resources"),
    "actions": ("actions",),
}
SCHEMA_CHECK_KEYS = tuple(key for key in load_descriptions() if key.startswith("schema."))


def load_inspection(subject: Subject) -> JsonObject | Result:
    """Return the newest inspection, or the result that explains why it is missing."""
    inspection = subject.known.get(OBSERVATION_KEY)
    if not isinstance(inspection, dict):
        return Result(Outcome.NOT_RUN, "The portal hasn't read the schema yet.")
    if inspection.get("not_run"):
        return Result(Outcome.NOT_RUN, str(inspection["not_run"]), inspected_revisions=_build_state(inspection))
    return inspection


def _build_state(inspection: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return (("version", str(inspection.get("version", ""))), ("reading", str(inspection.get("at", ""))[:16]))


with_inspection = with_value(lambda subject, _: load_inspection(subject), add_state(_build_state))


@register_check(CHECK_KEY, with_inspection)
def check_schema_read(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    evidence = tuple(_build_reading_evidence(reading) for reading in inspection["readings"])
    failed_reading = next((reading for reading in inspection["readings"] if not reading["read"]), None)
    if failed_reading is not None:
        prefix = "Through Terraform: " if failed_reading["via"] == "terraform" else ""
        return Result(Outcome.FAIL, f"{prefix}{failed_reading['problem']}", evidence)
    # Users get the schema through Terraform, so both readings must be the same.
    if inspection.get("differences"):
        evidence += tuple(Evidence("Differs", place) for place in inspection["differences"][:MAX_EVIDENCE_ITEMS])
        summary = "The provider and Terraform return different schemas."
        return Result(Outcome.FAIL, summary, evidence)
    names = inspection["offered"]
    resources = format_count(len(names["resources"]), "resource")
    data_sources = format_count(len(names["data-sources"]), "data source")
    suffix = ", the same through Terraform" if len(inspection["readings"]) > 1 else ""
    summary = f"{resources} and {data_sources} over protocol {inspection['protocol']}{suffix}."
    return Result(Outcome.PASS, summary, evidence)


def _build_reading_evidence(reading: JsonObject) -> Evidence:
    name = {"direct": "From the provider", "terraform": "Through Terraform"}[reading["via"]]
    usage = f"{reading['seconds']:.1f} s, at most {reading['peak'] // 1_000_000} MB of memory"
    return Evidence(name, f"read in {usage}" if reading["read"] else f"{reading['problem']} ({usage})")


class SchemaRule(Content):
    """Rule that the inspection evaluates. The texts for a pass and for problems have placeholders for its numbers."""

    key: str
    pass_text: str
    problem_text: str
    empty_text: str
    # Most rules are conventions. The prefix of names can fail, because Terraform finds the provider of a resource by
    # the first word of its type (Configuring Providers).
    outcome: Outcome = Outcome.WARN


SCHEMA_RULES = load_content(CONTENT_FOLDER / "schema_rules.yaml", tuple[SchemaRule, ...])


def _build_rule_check(rule: SchemaRule) -> Callable[[Subject, Sources], Result]:
    @with_inspection
    def run(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
        rule_result = next((entry for entry in inspection.get("rules", ()) if entry["rule"] == rule.key), None)
        if rule_result is None:
            return Result(Outcome.NOT_RUN, "The schema couldn't be read.")
        if not rule_result["checked_count"]:
            return Result(Outcome.PASS, rule.empty_text)
        evidence = tuple(Evidence("Location", location) for location in rule_result["locations"][:MAX_EVIDENCE_ITEMS])
        if rule_result["violation_count"]:
            return Result(rule.outcome, rule.problem_text.format(**rule_result), evidence)
        return Result(Outcome.PASS, rule.pass_text.format(**rule_result), evidence)

    return run


for _rule in SCHEMA_RULES:
    register_check(f"schema.{_rule.key}")(_build_rule_check(_rule))


@register_check("schema.pages", with_inspection)
def check_schema_pages(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    documented_names = inspection.get("offered") or {}
    total = sum(map(len, documented_names.values()))
    if not total:
        return Result(Outcome.NOT_RUN, "The schema contains nothing that needs a page.")
    code = read_whole_code(subject, sources)
    if isinstance(code, Result):
        return code
    existing_pages = collect_pages(code)
    provider_name = subject.provider
    missing = [
        f"{category}/{name}"
        for category, names in documented_names.items()
        for name in names
        if not list_page_names(name, provider_name) & existing_pages[category].keys()
    ]
    state = (*_build_state(inspection), *build_code_state(code))
    return replace(build_pages_result(missing, total, code, sources), inspected_revisions=state)


@register_check(FEATURES_KEY, with_inspection)
def check_schema_features(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    counts: Mapping[str, int] = inspection.get("features") or {}
    if not counts:
        return Result(Outcome.NOT_RUN, "The schema couldn't be read.")
    evidence = tuple(Evidence(key.replace("_", " ").capitalize(), str(count)) for key, count in counts.items())
    features = [name for name, keys in PREMIER_FEATURES.items() if all(counts[key] for key in keys)]
    if features:
        return Result(Outcome.PASS, f"The schema has {', '.join(features)}.", evidence)
    # Without Terraform, or with an older one, only ephemeral resources are read.
    summary = "We found none of the features. Only Terraform 1.14 and newer prints all of them."
    return Result(Outcome.NOT_RUN, summary, evidence)


@register_check("schema.protocol", with_inspection)
def check_declared_protocol(subject: Subject, sources: Sources, inspection: JsonObject) -> Result:
    if not inspection.get("protocol"):
        return Result(Outcome.NOT_RUN, "The provider didn't report its protocol.")
    if not (subject.namespace and subject.provider):
        return Result(Outcome.NOT_RUN, "No repository is set, so no protocol is declared.")
    report = read_report(subject, sources)
    release = report.release
    # registry.listed fails for a version that isn't listed, so this check reports only an outage here.
    if release.version_entry is None:
        listing = report.results["release.listed"]
        return listing if listing.outcome == Outcome.ERROR else replace(listing, outcome=Outcome.NOT_RUN)
    if release.version != inspection["version"]:
        return Result(Outcome.NOT_RUN, f"{release.version} is newer than the schema that we read.")
    manifest = release.manifest
    # The registry takes its own statement from the manifest, so the manifest counts first.
    declared_protocols = parse_manifest_protocols(manifest.body) if manifest is not None and manifest.ok else None
    declared_protocols = declared_protocols or release.version_entry.protocols
    protocol = str(inspection["protocol"])
    evidence = (Evidence("Protocol", protocol), Evidence("Declared", ", ".join(declared_protocols) or "none"))
    # A plugin's handshake has only the major version.
    if protocol in {declared_protocol.partition(".")[0] for declared_protocol in declared_protocols}:
        return Result(Outcome.PASS, f"The provider speaks protocol {protocol}, as declared.", evidence)
    return Result(Outcome.FAIL, f"The provider speaks protocol {protocol}, which isn't declared.", evidence)
