"""Which requirements have both editions of the Terraform run task program in common?"""

from integrations.programs.content.common import (
    CONTACT_FIELDS,
    OTHER_5_DAYS,
    build_hints,
    build_logo,
    build_support_plan,
)
from integrations.programs.schema import (
    AnswerScope,
    FulfillingParty,
    Question,
    Requirement,
    RequirementKind,
    ResourceLink,
    Sla,
    SlaTarget,
    TargetType,
)

SLA = Sla(
    TargetType.RESOLVE,
    "The partner has a mechanism to track and resolve issues: critical ones as soon as possible, ideally within "
    "48 hours, all others within 5 business days.",
    SlaTarget(hours=48, ideally=True),
    OTHER_5_DAYS,
)
SUPPORT_SUMMARY = "Maintain the integration and resolve what users report."
ANNOUNCEMENT = ResourceLink(
    "Announcement of run tasks", "https://www.hashicorp.com/blog/terraform-cloud-run-tasks-beta-now-available"
)

TEST_FIELDS = (
    Question(
        "endpoint", "Address that takes run tasks", "url", required=False, help="Leave it out if each user gets one."
    ),
    Question("passing", "We have tested a run that it lets pass", "yes"),
    Question("failing", "We have tested a run that it stops", "yes"),
)


def build_demonstration(platform: str) -> Requirement:
    """The review meeting and the three things that are ticked there."""
    return Requirement(
        "RT-4",
        "Review meeting with a live demonstration",
        FulfillingParty.BOTH,
        RequirementKind.MEETING,
        "Propose times; in the meeting the three items are ticked.",
        meeting_items=(
            f"Enabled on the partner's platform and on {platform}",
            "Use case explained",
            "Live demonstration",
        ),
        meeting_hints=(("Live demonstration", "RT-TRIED"),),
    )


SUMMARY = Requirement(
    "RT-6",
    "Two-line summary",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Stands on the listing; several integrations of your company share one summary that names them all.",
    scope=AnswerScope.PARTNER,
    fields=(
        Question(
            "summary", "Summary", "lines", max_lines=2, max_length=300, help="At most two lines.", public="Summary"
        ),
    ),
)
DOSSIER = Requirement(
    "RT-7",
    "Support dossier",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "HashiCorp's own support finds the right person here when a customer calls; users never see it.",
    fields=(
        *CONTACT_FIELDS,
        Question("more_contacts", "Further contacts", "lines", required=False, help="One a line: name, role, e-mail."),
        Question("faq", "Frequent questions, best practice, or both", "lines", max_length=8000),
    ),
)
LOGO = build_logo("RT-LOGO", optional=True)
LISTING_HINTS = build_hints(
    "RT-SEEN", "What users meet", "listing.summary", "listing.run_task_docs", "listing.links", "listing.contacts"
)
TEST_RUN_HINTS = build_hints("RT-TRIED", "What the portal's rehearsal showed", "run_task.rehearsal")
SUPPORT = build_support_plan(
    "RT-8",
    "We track and resolve critical issues as soon as possible, ideally within 48 hours, and all others within "
    "5 business days",
    where=True,
)
