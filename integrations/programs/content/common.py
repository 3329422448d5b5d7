"""What do several programs share? Links, promises and the requirements that read alike everywhere."""

from dataclasses import replace

from integrations.programs.schema import (
    AnswerScope,
    FulfillingParty,
    Question,
    Requirement,
    RequirementKind,
    ResourceLink,
    Sla,
    SlaTarget,
    Stage,
    TargetType,
)

PARTNER_MAILBOX = "technologypartners@hashicorp.com"
PARTNER_PAGE = "https://www.hashicorp.com/partners/find-a-partner"

BECOME_A_PARTNER = ResourceLink("Become a partner", "https://www.hashicorp.com/partners/become-a-partner")
APPLY_TO_PROGRAM = ResourceLink("Technology Partner Program application", "https://www.hashicorp.com/go/tech-partner")

CRITICAL_48_HOURS = SlaTarget(hours=48)
OTHER_5_DAYS = SlaTarget(business_days=5)
RESOLVE_48_HOURS_5_DAYS = Sla(
    TargetType.RESOLVE,
    "Critical issues are resolved within 48 hours, all others within 5 business days.",
    CRITICAL_48_HOURS,
    OTHER_5_DAYS,
)

CONTACT_FIELDS = (
    Question("contact_name", "Contact person", max_length=120),
    Question("contact_email", "Contact e-mail", "email", help="Mail about this integration goes here."),
)
USERS = Question("users", "Expected users", "lines", help="Who will use it, and about how many.", max_length=1000)


def build_webform(id: str, product: str, why: str = "Tells the program who you are and what you build.") -> Requirement:
    """The first form of a program that tracks each integration by one."""
    return Requirement(
        id,
        f"{product} integration webform",
        FulfillingParty.PARTNER,
        RequirementKind.FORM,
        why,
        fields=(
            *CONTACT_FIELDS,
            Question("use_case", "What users do with it", "lines", help="The task that it makes possible."),
            USERS,
            Question("ready", "When you expect to be ready for review", "date", required=False),
        ),
    )


def build_application(id: str, needed_for: Stage | None = None) -> Requirement:
    """The company's application to the Technology Partner Program: once for all of its integrations."""
    return Requirement(
        id,
        "Technology Partner Program application",
        FulfillingParty.PARTNER,
        RequirementKind.FORM,
        "Only members of the Technology Partner Program are listed; one application covers your company.",
        needed_for,
        AnswerScope.PARTNER,
        fields=(
            *CONTACT_FIELDS,
            Question("company", "What your company does", "lines", max_length=1000),
            USERS,
        ),
        links=(APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    )


def build_partner_agreement(id: str, needed_for: Stage | None = None) -> Requirement:
    """The Technology Partner Agreement: signed by both sides, once for the company."""
    return Requirement(
        id,
        "Technology Partner Agreement",
        FulfillingParty.BOTH,
        RequirementKind.AGREEMENT,
        "Nothing is listed before both sides have signed; it is signed once for your company.",
        needed_for,
        AnswerScope.PARTNER,
        agreement="tpa",
    )


def build_mnda(id: str) -> Requirement:
    """The mutual non-disclosure agreement: encouraged, never demanded."""
    return Requirement(
        id,
        "Mutual Non-Disclosure Agreement, if needed",
        FulfillingParty.BOTH,
        RequirementKind.AGREEMENT,
        "Lets both sides speak openly while you build; say that it is not needed to skip it.",
        scope=AnswerScope.PARTNER,
        optional=True,
        agreement="mnda",
    )


def build_attestation(
    id: str,
    title: str,
    statement: str,
    why: str = "",
    needed_for: Stage | None = None,
    *,
    who: FulfillingParty = FulfillingParty.PARTNER,
    scope: AnswerScope = AnswerScope.INTEGRATION,
    optional: bool = False,
    group: str = "",
    categories: tuple[str, ...] = (),
    links: tuple[ResourceLink, ...] = (),
) -> Requirement:
    """Something that the partner, or the program, confirms in so many words."""
    return Requirement(
        id,
        title,
        who,
        RequirementKind.ATTESTATION,
        why,
        needed_for,
        scope,
        optional,
        group,
        statement=statement,
        categories=categories,
        links=links,
    )


def build_check(id: str, title: str, why: str, *checks: str, categories: tuple[str, ...] = ()) -> Requirement:
    """Something that the machine looks at by itself."""
    return Requirement(
        id, title, FulfillingParty.MACHINE, RequirementKind.CHECK, why, checks=checks, categories=categories
    )


def build_hints(id: str, title: str, *checks: str, categories: tuple[str, ...] = ()) -> Requirement:
    """What the machine can tell from outside, for the partner and the reviewer to read; it never blocks."""
    why = "Hints for you and your reviewer, seen from outside; nothing waits for them."
    return replace(build_check(id, title, why, *checks, categories=categories), optional=True)


def build_feedback_attestation(id: str) -> Requirement:
    """The last word of a review's loop: findings carry the rest."""
    attestation = build_attestation(
        id,
        "Address the review's feedback",
        "Every finding of the review has been answered and the development is finished.",
        "Answer each finding first; this says that nothing is left to change.",
    )
    return replace(attestation, after_findings=True)


def build_credentials(id: str, permanent: bool = False) -> Requirement:
    return Requirement(
        id,
        "Credentials for test infrastructure",
        FulfillingParty.PARTNER,
        RequirementKind.CREDENTIALS,
        "The reviewer runs the integration against your platform; kept encrypted and read only on record.",
        permanent=permanent,
    )


def build_logo(id: str, optional: bool = False) -> Requirement:
    return Requirement(
        id,
        "Logo for the listing",
        FulfillingParty.PARTNER,
        RequirementKind.DOCUMENT,
        "Shown beside the listing under the logo guidelines that come with the agreement.",
        scope=AnswerScope.PARTNER,
        optional=optional,
        accept=("png", "jpeg"),
        public=True,
    )


def build_listing_text(id: str, place: str) -> Requirement:
    return Requirement(
        id,
        "Text for the listing",
        FulfillingParty.PARTNER,
        RequirementKind.FORM,
        f"Stands on {place} beside the name of the integration.",
        fields=(
            Question(
                "text", "Text", "lines", "What it does and for whom, without praise.", max_length=1000, public="About"
            ),
            Question("page", "Page on your site to link to", "url", required=False, public="Website"),
        ),
    )


def build_documentation(id: str, title: str, why: str, *more: Question, needed_for: Stage | None = None) -> Requirement:
    return Requirement(
        id,
        title,
        FulfillingParty.PARTNER,
        RequirementKind.FORM,
        why,
        needed_for,
        fields=(Question("documentation", "Address of the public documentation", "url", public="Documentation"), *more),
    )


def build_support_plan(id: str, promise: str, where: bool = False) -> Requirement:
    """The promise that support rests on. `where`: there is no repository whose issues could be followed."""
    place = (Question("tracker", "Where users report issues", "url", public="Issues"),) if where else ()
    return Requirement(
        id,
        "Plan for continued support",
        FulfillingParty.PARTNER,
        RequirementKind.FORM,
        "Users rely on it from the first day in support; without the promise it cannot stay listed.",
        Stage.SUPPORT,
        fields=(
            *place,
            Question("escalation", "E-mail for critical issues", "email"),
            Question("plan", "How issues are taken in and worked on", "lines", max_length=2000),
            Question("promise", promise, "yes"),
        ),
    )
