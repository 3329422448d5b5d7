"""Service that merges two companies. The source is closed, and the target receives its data."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.conflicts import list_conflicted_reviewers
from integrations.partners.models import JoinRequest, Membership, Partner, Role, VerificationState
from integrations.partners.services.changes import PartnerChange, change_partner
from integrations.submissions.models import Agreement, Document, Integration, IntegrationDraft
from integrations.submissions.services.agreements import update_agreement_requirements
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.core.value_types import NamedValues


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What a merge moves.

    Attributes:
        members: Members of the source, with their roles in the target.
        kept_agreements: Agreements that stay with the source, because the target has the same version. Rejected ones
            don't count.
    """

    members: list[tuple[User, Role]]
    integrations: list[Integration]
    drafts: list[IntegrationDraft]
    agreements: list[Agreement]
    kept_agreements: list[Agreement]


def preview_merge(source: Partner, target: Partner) -> MergePreview:
    """Return what a merge of the source into the target moves."""
    memberships = source.memberships.filter(ended_at=None).select_related("user").order_by("pk")
    agreements = source.agreements.order_by("pk")
    own_versions = set(target.agreements.filter(rejected_at=None).values_list("kind", "version"))
    duplicates = [each for each in agreements if not each.rejected_at and (each.kind, each.version) in own_versions]
    return MergePreview(
        members=[_plan_member(membership, target) for membership in memberships],
        integrations=list(source.integrations.order_by("name", "pk")),
        drafts=list(source.drafts.filter(sent_at=None).order_by("pk")),
        agreements=[each for each in agreements if each not in duplicates],
        kept_agreements=duplicates,
    )


def _plan_member(membership: Membership, target: Partner) -> tuple[User, Role]:
    """Return a member and the role in the target: the present one, or the one in the source. Owners become editors."""
    present = target.memberships.filter(user=membership.user, ended_at=None).first()
    role = Role(present.role if present else membership.role)
    return membership.user, Role.EDITOR if role == Role.OWNER and not present else role


def explain_merge_refusal(source: Partner, target: Partner, user: User) -> str:
    """Return why the user can't merge the source into the target, or an empty string."""
    if not permissions.can_merge_partners(source, target, user):
        return refusals.get_refusal("can_merge_partners")
    if source.pk == target.pk:
        return _("Select another company.")
    if not target.is_verified:
        return _("%(name)s is not verified. Verify it first.") % {"name": target}
    return ""


def merge_partners(source: Partner, target: Partner, note: str, *, actor: User, now: datetime) -> None:
    """Merge the source into the target, with a reason. Raises ActionRefused."""
    if not note.strip():
        raise ActionRefused(_("Enter a reason. We record it with the decision."), "validation-error")
    first, second = sorted((source, target), key=lambda partner: partner.pk)  # one order for all, against deadlocks
    with (
        change_partner(first.pk, actor=actor, now=now) as one,
        change_partner(second.pk, actor=actor, now=now) as other,
    ):
        source_change, target_change = (one, other) if one.partner == source else (other, one)
        # Under both locks: a conflict of interest may have been recorded since the preview.
        if not permissions.can_merge_partners(source_change.partner, target_change.partner, actor):
            raise ActionRefused(refusals.get_refusal("can_merge_partners"), "forbidden")
        if refusal := explain_merge_refusal(source_change.partner, target_change.partner, actor):
            raise ActionRefused(refusal)
        _merge(source_change, target_change, note.strip())


def _merge(source_change: PartnerChange, target_change: PartnerChange, note: str) -> None:
    source = source_change.partner
    target = target_change.partner
    # Again under the locks, because members and agreements can have changed since the preview.
    plan = preview_merge(source, target)
    # First, while the proofs and memberships from which conflicts follow are still those of the source.
    _copy_conflicts(source, target_change)
    for user, role in plan.members:
        _move_member(source_change, target, user, role)
    _end_invitations_and_requests(source, target_change)
    # The rest would violate the constraint of one agreement for each version of a company.
    Agreement.objects.filter(pk__in=[agreement.pk for agreement in plan.agreements]).update(partner=target)
    for model in (Integration, IntegrationDraft, Document):
        model.objects.filter(partner=source).update(partner=target)
    source.merged_into = target
    source.verification_state = VerificationState.CLOSED
    source.save()
    # Companies that were merged into the source would point to a closed one.
    source.merged_partners.update(merged_into=target)
    counts: NamedValues = {
        "members": len(plan.members),
        "integrations": [integration.name for integration in plan.integrations],
        "agreements": len(plan.agreements),
        "drafts": len(plan.drafts),
    }
    source_change.record("partner.closed", note=note, target=target.name, **counts)
    target_change.record("partner.merged", note=note, source=source.name, **counts)
    update_agreement_requirements(target.integrations.open().order_by("pk"), target_change.now)


def _move_member(source_change: PartnerChange, target: Partner, user: User, role: Role) -> None:
    source = source_change.partner
    now = source_change.now
    source.memberships.filter(user=user, ended_at=None).update(ended_at=now)
    Membership.objects.get_or_create(
        partner=target, user=user, ended_at=None, defaults={"role": role, "joined_at": now}
    )
    permissions.clear_cached_roles(user)
    source_change.record("member.moved", person=user, target=target.name, slug=target.slug, role=role)


def _copy_conflicts(source: Partner, change: PartnerChange) -> None:
    """Record on the target the conflicts of interest that reviewers have with the source."""
    kinds = list_conflicted_reviewers(source)
    reasons = dict(source.conflicts.filter(removed_at=None).values_list("user", "reason"))
    in_force = change.partner.conflicts.filter(removed_at=None).values("user")
    for reviewer in User.objects.filter(pk__in=kinds).exclude(pk__in=in_force).order_by("pk"):
        kind = kinds[reviewer.pk]
        change.store_conflict(reviewer, kind, reasons.get(reviewer.pk, str(kind.label)))


def _end_invitations_and_requests(source: Partner, change: PartnerChange) -> None:
    """Revoke the open invitations of the source, and decline the requests to join it."""
    source.invitations.filter(accepted_at=None, revoked_at=None).update(revoked_at=change.now)
    waiting = source.join_requests.filter(state=JoinRequest.State.WAITING)
    waiting.update(state=JoinRequest.State.DECLINED, decided_by=change.actor, decided_at=change.now)
