"""Is a published release what it says, and would Terraform install it? Read once, judged twice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from portal.core.translation import gettext_noop
from verification.outcomes import Evidence, Outcome, Result, get_worst_outcome
from verification.releases import install_simulation, program_rules
from verification.releases.inspection import Reader, Release
from verification.terraform.messages import TerraformDecision

Question = Callable[[Release, float], Result]
QUESTIONS: tuple[tuple[str, str, Question], ...] = (
    ("release.listed", gettext_noop("Listed in the registry"), program_rules.listed),
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
class Answered:
    """One question with its result."""

    id: str
    title: str
    result: Result


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said of a release. `terraform` is about the platform that was asked for, `others` about the rest."""

    release: Release
    platform: str
    checks: tuple[Answered, ...]
    terraform: TerraformDecision
    others: dict[str, TerraformDecision]

    @property
    def outcome(self) -> Outcome:
        return get_worst_outcome(answered.result.outcome for answered in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """As JSON; evidence as in the portal."""
        listed = self.release.listed
        return {
            "provider": f"{self.release.namespace}/{self.release.name}",
            "version": self.release.version,
            "platforms": list(listed.platforms) if listed else [],
            "outcome": str(self.outcome),
            "checks": [
                {
                    "id": answered.id,
                    "title": answered.title,
                    "outcome": str(answered.result.outcome),
                    "summary": answered.result.summary,
                    "evidence": [evidence.as_dict() for evidence in answered.result.evidence],
                }
                for answered in self.checks
            ],
            "terraform": {
                "verdict": self.terraform.verdict,
                "message": self.terraform.message,
                "platform": self.platform,
                "platforms": {name: _told(judgement) for name, judgement in self.others.items()},
            },
        }


def verify(reader: Reader, version: str = "", platform: str = "linux_amd64") -> Report:
    """The release judged; the newest one where no version is named. Raises nothing: what fails is in the report."""
    release = reader.read(version, platform)
    listed = release.listed.platforms if release.listed else ()
    said = {name: install_simulation.judge(release, name) for name in dict.fromkeys((platform, *listed))}
    checks = tuple(Answered(id, title, question(release, reader.now)) for id, title, question in QUESTIONS)
    install = Answered(TERRAFORM, TITLE, _installs({name: said[name] for name in listed or (platform,)}))
    return Report(release, platform, (*checks, install), said[platform], said)


def _installs(said: dict[str, TerraformDecision]) -> Result:
    """The worst that Terraform would say on any platform."""
    refused = {name: judgement for name, judgement in said.items() if judgement.accepts is False}
    refused = {name: judgement for name, judgement in refused.items() if not judgement.outage} or refused
    open_ = {name: judgement for name, judgement in said.items() if judgement.accepts is None}
    seen = tuple(Evidence(name, judgement.message) for name, judgement in (refused | open_).items())[:20]
    if refused:
        name, judgement = next(iter(refused.items()))
        if judgement.outage:
            return Result(Outcome.ERROR, f"We could not look: at the moment Terraform says {judgement.message}.", seen)
        return Result(Outcome.FAIL, f"Terraform would refuse it on {name}: {judgement.message}", seen)
    if open_:
        return Result(Outcome.NOT_RUN, next(iter(open_.values())).message, seen)
    return Result(Outcome.PASS, "Terraform would install it.")


def _told(judgement: TerraformDecision) -> dict[str, str]:
    return {"verdict": judgement.verdict, "message": judgement.message}
