"""Which requirements have both editions of the Terraform run task program in common?"""

from integrations.programs.content.common import CONTACT_FIELDS, OTHER_5_DAYS, hints, logo, support_plan
from integrations.programs.schema import Field, Kind, Link, Requirement, Scope, Sla, Target, Verb, Who

SLA = Sla(
    Verb.RESOLVE,
    "The partner has a mechanism to track and resolve issues: critical ones as soon as possible, ideally within "
    "48 hours, all others within 5 business days.",
    Target(hours=48, ideally=True),
    OTHER_5_DAYS,
)
SUPPORT_SUMMARY = "Maintain the integration and resolve what users report."
ANNOUNCEMENT = Link(
    "Announcement of run tasks", "https://www.hashicorp.com/blog/terraform-cloud-run-tasks-beta-now-available"
)

TESTED = (
    Field(
        "endpoint", "Address that takes run tasks", "url", required=False, help="Leave it out if each user gets one."
    ),
    Field("passing", "We have tested a run that it lets pass", "yes"),
    Field("failing", "We have tested a run that it stops", "yes"),
)


def demonstration(platform: str) -> Requirement:
    """The review meeting and the three things that are ticked there."""
    return Requirement(
        "RT-4",
        "Review meeting with a live demonstration",
        Who.BOTH,
        Kind.MEETING,
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
    Who.PARTNER,
    Kind.FORM,
    "Stands on the listing; several integrations of your company share one summary that names them all.",
    scope=Scope.PARTNER,
    fields=(
        Field("summary", "Summary", "lines", max_lines=2, max_length=300, help="At most two lines.", public="Summary"),
    ),
)
DOSSIER = Requirement(
    "RT-7",
    "Support dossier",
    Who.PARTNER,
    Kind.FORM,
    "HashiCorp's own support finds the right person here when a customer calls; users never see it.",
    fields=(
        *CONTACT_FIELDS,
        Field("more_contacts", "Further contacts", "lines", required=False, help="One a line: name, role, e-mail."),
        Field("faq", "Frequent questions, best practice, or both", "lines", max_length=8000),
    ),
)
LOGO = logo("RT-LOGO", optional=True)
SEEN = hints(
    "RT-SEEN", "What users meet", "listing.summary", "listing.run_task_docs", "listing.links", "listing.contacts"
)
REHEARSED = hints("RT-TRIED", "What the portal's rehearsal showed", "run_task.rehearsal")
SUPPORT = support_plan(
    "RT-8",
    "We track and resolve critical issues as soon as possible, ideally within 48 hours, and all others within "
    "5 business days",
    where=True,
)
