"""Checks that the repository still has the owner and name that it had at submission."""

from verification.checks.rules.repository import build_repository_evidence, with_repository
from verification.checks.rules.shared_reads import resolve_recorded_number
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.github.responses import GitHubRepository

# The name of this revision is also what `accepts` names in checks.yaml: with it, a reviewer can accept the owner.
NEW_OWNER = "new owner"


@register_check("repository.owner")
@with_repository
def check_owner(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    owner_name = repository.full_name.partition("/")[0]
    inspected_revisions = (("repository", repository.full_name), ("owner", str(repository.owner_id)))
    evidence: tuple[Evidence, ...] = (Evidence("Owner", f"{owner_name} ({repository.owner_id})", repository.html_url),)
    # By number, because GitHub lets others take a name that its owner gave up.
    recorded_owner_id, observations = resolve_recorded_number(
        subject, "owner", subject.repository_owner_id, repository.owner_id
    )
    if observations and observations != {key: subject.known.get(key) for key in observations}:
        summary = f"The owner wasn't recorded before. We recorded {owner_name} as the owner."
        return Result(Outcome.WARN, summary, evidence, inspected_revisions, observations=observations)
    if repository.owner_id == recorded_owner_id:
        summary = f"{owner_name} owns the repository, as at submission."
        return Result(Outcome.PASS, summary, evidence, inspected_revisions, observations=observations)
    evidence += (Evidence("Owner at submission", str(recorded_owner_id)),)
    if str(repository.owner_id) == subject.get_accepted_value("repository.owner"):
        summary = f"{owner_name} owns the repository. The program accepted this owner."
        return Result(Outcome.PASS, summary, evidence, inspected_revisions)
    inspected_revisions = (("repository", repository.full_name), (NEW_OWNER, str(repository.owner_id)))
    summary = f"The repository now belongs to {owner_name}."
    reason = f"{subject.repository} now belongs to {owner_name}. A reviewer must confirm the new owner."
    return Result(Outcome.FAIL, summary, evidence, inspected_revisions, freeze_reason=reason)


@register_check("repository.renamed")
@with_repository
def check_repository_name_unchanged(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    evidence = (build_repository_evidence(repository),)
    # Only a warning: GitHub redirects the old name until someone creates another repository with it.
    if repository.full_name.lower() == subject.repository.lower():
        return Result(Outcome.PASS, f"The repository is still named {repository.full_name}.", evidence)
    return Result(Outcome.WARN, f"{subject.repository} is now named {repository.full_name}.", evidence)
