"""Verification of published releases by the program's rules and by Terraform's. Each release is read once."""

from collections.abc import Callable
from dataclasses import dataclass

from portal.core.translation import gettext_noop
from portal.core.value_types import JsonObject
from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome
from verification.releases import install_simulation, program_rules
from verification.releases.inspection import Release, ReleaseReader
from verification.terraform.messages import TerraformDecision

Rule = Callable[[Release, float], Result]
RULES: tuple[tuple[str, str, Rule], ...] = (
    ("release.listed", gettext_noop("Listed in the registry"), program_rules.check_listing),
    ("release.packages", gettext_noop("A package for each platform"), program_rules.check_packages),
    ("release.platforms", gettext_noop("Recommended platforms"), program_rules.check_platforms),
    ("release.protocols", gettext_noop("Plugin protocols"), program_rules.check_protocols),
    ("release.checksums", gettext_noop("List of checksums"), program_rules.check_checksums),
    ("release.signature", gettext_noop("Signature"), program_rules.check_signature),
    ("release.key", gettext_noop("Signing key"), program_rules.check_signing_key),
    ("release.archive", gettext_noop("Archives"), program_rules.check_archives),
)
TERRAFORM_ID = "release.terraform"
TITLES = {id: title for id, title, _ in RULES} | {TERRAFORM_ID: gettext_noop("What Terraform would do")}


@dataclass(frozen=True, slots=True)
class Report:
    """Results for a release by rule. `terraform` is the decision for the requested platform, `others` for the rest."""

    release: Release
    platform: str
    results: dict[str, Result]
    terraform: TerraformDecision
    others: dict[str, TerraformDecision]

    @property
    def outcome(self) -> Outcome:
        return get_worst_outcome(result.outcome for result in self.results.values())

    @property
    def missing_item(self) -> str:
        """Return Terraform's message about what a server doesn't have for a listed platform, blank if it has all."""
        entry = self.release.version_entry
        # Another platform was read only for Terraform's decision.
        names = (entry.platforms if entry else ()) or (self.platform,)
        return next((self.others[name].message for name in names if self.others[name].missing), "")

    def as_dict(self) -> JsonObject:
        """Return the report as JSON."""
        version_entry = self.release.version_entry
        decisions = {name: {"verdict": each.verdict, "message": each.message} for name, each in self.others.items()}
        return {
            "provider": f"{self.release.namespace}/{self.release.name}",
            "version": self.release.version,
            "platforms": list(version_entry.platforms) if version_entry else [],
            "outcome": str(self.outcome),
            "checks": [
                {
                    "id": id,
                    "title": TITLES[id],
                    "outcome": str(result.outcome),
                    "summary": result.summary,
                    "evidence": [evidence.as_dict() for evidence in result.evidence],
                }
                for id, result in self.results.items()
            ],
            "terraform": {
                "verdict": self.terraform.verdict,
                "message": self.terraform.message,
                "platform": self.platform,
                "platforms": decisions,
            },
        }


def verify(reader: ReleaseReader, version: str = "", platform: str = "linux_amd64") -> Report:
    """Verify a release, by default the newest. Never raises: the report contains all failures and outages."""
    release = reader.read(version, platform)
    platform_names = release.version_entry.platforms if release.version_entry else ()
    # The requested platform is included even if it isn't listed: the report then has Terraform's refusal.
    names = dict.fromkeys((platform, *platform_names))
    decisions = {name: install_simulation.simulate_installation(release, name) for name in names}
    results = {id: rule(release, reader.now) for id, _, rule in RULES}
    results[TERRAFORM_ID] = _summarize_decisions({name: decisions[name] for name in platform_names or (platform,)})
    return Report(release, platform, results, decisions[platform], decisions)


def _summarize_decisions(decisions: dict[str, TerraformDecision]) -> Result:
    """Return the worst of Terraform's decisions as a result."""
    refusals = {name: decision for name, decision in decisions.items() if decision.accepts is False}
    certain_refusals = {name: decision for name, decision in refusals.items() if not decision.outage}
    # An outage on one platform must not hide what the publisher has to fix on another.
    if certain_refusals:
        refusals = certain_refusals
    undecided = {name: decision for name, decision in decisions.items() if decision.accepts is None}
    evidence = tuple(Evidence(name, decision.message) for name, decision in (refusals | undecided).items())[:20]
    if refusals:
        # What only is missing can be back tomorrow, so it must not hide another refusal either.
        name, decision = min(refusals.items(), key=lambda item: item[1].missing)
        # Terraform refuses during an outage too, but no publisher can fix that, so it isn't a failure.
        if decision.outage:
            summary = f"We couldn't complete this check: Terraform currently reports {decision.message}."
            return Result(Outcome.ERROR, summary, evidence)
        summary = f"Terraform would refuse it on {name}: {decision.message}"
        return Result(Outcome.FAIL, summary, evidence, missing_item=decision.message if decision.missing else "")
    # Terraform could refuse what we couldn't decide, so this isn't a pass.
    if undecided:
        return Result(Outcome.NOT_RUN, next(iter(undecided.values())).message, evidence)
    return Result(Outcome.PASS, "Terraform would install it.")
