"""Verification of published releases by the program's rules and by Terraform's. Each release is read once."""

from collections.abc import Callable
from dataclasses import dataclass

from portal.core.translation import gettext_noop
from portal.core.value_types import JsonObject
from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome
from verification.releases import install_simulation, program_rules
from verification.releases.inspection import Reader, Release
from verification.terraform.messages import TerraformDecision

Question = Callable[[Release, float], Result]
QUESTIONS: tuple[tuple[str, str, Question], ...] = (
    ("release.listed", gettext_noop("Listed in the registry"), program_rules.check_listing),
    ("release.packages", gettext_noop("A package for each platform"), program_rules.packages),
    ("release.platforms", gettext_noop("Recommended platforms"), program_rules.platforms),
    ("release.protocols", gettext_noop("Plugin protocols"), program_rules.protocols),
    ("release.checksums", gettext_noop("List of checksums"), program_rules.checksums),
    ("release.signature", gettext_noop("Signature"), program_rules.signature),
    ("release.key", gettext_noop("Signing key"), program_rules.key),
    ("release.archive", gettext_noop("Archives"), program_rules.archive),
)
TERRAFORM = "release.terraform"
TITLE = gettext_noop("What Terraform would do")


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """One question with its result."""

    id: str
    title: str
    result: Result


@dataclass(frozen=True, slots=True)
class Report:
    """Results for a release. `terraform` is the decision for the requested platform, `others` for the rest."""

    release: Release
    platform: str
    checks: tuple[ReleaseCheck, ...]
    terraform: TerraformDecision
    others: dict[str, TerraformDecision]

    def get_result(self, id: str) -> Result:
        """Return the result of the question with this ID."""
        return next(check.result for check in self.checks if check.id == id)

    @property
    def outcome(self) -> Outcome:
        return get_worst_outcome(check.result.outcome for check in self.checks)

    def as_dict(self) -> JsonObject:
        """As JSON; evidence as in the portal."""
        version_entry = self.release.version_entry
        return {
            "provider": f"{self.release.namespace}/{self.release.name}",
            "version": self.release.version,
            "platforms": list(version_entry.platforms) if version_entry else [],
            "outcome": str(self.outcome),
            "checks": [
                {
                    "id": check.id,
                    "title": check.title,
                    "outcome": str(check.result.outcome),
                    "summary": check.result.summary,
                    "evidence": [evidence.as_dict() for evidence in check.result.evidence],
                }
                for check in self.checks
            ],
            "terraform": {
                "verdict": self.terraform.verdict,
                "message": self.terraform.message,
                "platform": self.platform,
                "platforms": {
                    name: {"verdict": decision.verdict, "message": decision.message}
                    for name, decision in self.others.items()
                },
            },
        }


def verify(reader: Reader, version: str = "", platform: str = "linux_amd64") -> Report:
    """The release judged; the newest one where no version is named. Raises nothing: what fails is in the report."""
    release = reader.read(version, platform)
    platform_names = release.version_entry.platforms if release.version_entry else ()
    decisions = {name: install_simulation.judge(release, name) for name in dict.fromkeys((platform, *platform_names))}
    checks = tuple(ReleaseCheck(id, title, question(release, reader.now)) for id, title, question in QUESTIONS)
    install = ReleaseCheck(
        TERRAFORM, TITLE, _installs({name: decisions[name] for name in platform_names or (platform,)})
    )
    return Report(release, platform, (*checks, install), decisions[platform], decisions)


def _installs(decisions: dict[str, TerraformDecision]) -> Result:
    """The worst that Terraform would say on any platform."""
    refusals = {name: judgement for name, judgement in decisions.items() if judgement.accepts is False}
    refusals = {name: judgement for name, judgement in refusals.items() if not judgement.outage} or refusals
    open_ = {name: judgement for name, judgement in decisions.items() if judgement.accepts is None}
    evidence = tuple(Evidence(name, judgement.message) for name, judgement in (refusals | open_).items())[:20]
    if refusals:
        name, judgement = next(iter(refusals.items()))
        if judgement.outage:
            summary = f"We couldn't complete this check: Terraform currently reports {judgement.message}."
            return Result(Outcome.ERROR, summary, evidence)
        return Result(Outcome.FAIL, f"Terraform would refuse it on {name}: {judgement.message}", evidence)
    if open_:
        return Result(Outcome.NOT_RUN, next(iter(open_.values())).message, evidence)
    return Result(Outcome.PASS, "Terraform would install it.")
