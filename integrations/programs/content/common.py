"""What do several programs share? Links, promises and the requirements that read alike everywhere."""

from dataclasses import replace

from integrations.programs.schema import Field, Kind, Link, Requirement, Scope, Sla, Stage, Target, Verb, Who

PARTNER_MAILBOX = "technologypartners@hashicorp.com"
PARTNER_PAGE = "https://www.hashicorp.com/partners/find-a-partner"

BECOME_A_PARTNER = Link("Become a partner", "https://www.hashicorp.com/partners/become-a-partner")
APPLY_TO_PROGRAM = Link("Technology Partner Program application", "https://www.hashicorp.com/go/tech-partner")

CRITICAL_48_HOURS = Target(hours=48)
OTHER_5_DAYS = Target(business_days=5)
RESOLVE_48_HOURS_5_DAYS = Sla(
    Verb.RESOLVE,
    "Critical issues are resolved within 48 hours, all others within 5 business days.",
    CRITICAL_48_HOURS,
    OTHER_5_DAYS,
)

CONTACT_FIELDS = (
    Field("contact_name", "Contact person", max_length=120),
    Field("contact_email", "Contact e-mail", "email", help="Mail about this integration goes here."),
)
USERS = Field("users", "Expected users", "lines", help="Who will use it, and about how many.", max_length=1000)


def webform(id: str, product: str, why: str = "Tells the program who you are and what you build.") -> Requirement:
    """The first form of a program that tracks each integration by one."""
    return Requirement(
        id,
        f"{product} integration webform",
        Who.PARTNER,
        Kind.FORM,
        why,
        fields=(
            *CONTACT_FIELDS,
            Field("use_case", "What users do with it", "lines", help="The task that it makes possible."),
            USERS,
            Field("ready", "When you expect to be ready for review", "date", required=False),
        ),
    )


def application(id: str, needed_for: Stage | None = None) -> Requirement:
    """The company's application to the Technology Partner Program: once for all of its integrations."""
    return Requirement(
        id,
        "Technology Partner Program application",
        Who.PARTNER,
        Kind.FORM,
        "Only members of the Technology Partner Program are listed; one application covers your company.",
        needed_for,
        Scope.PARTNER,
        fields=(
            *CONTACT_FIELDS,
            Field("company", "What your company does", "lines", max_length=1000),
            USERS,
        ),
        links=(APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    )


def partner_agreement(id: str, needed_for: Stage | None = None) -> Requirement:
    """The Technology Partner Agreement: signed by both sides, once for the company."""
    return Requirement(
        id,
        "Technology Partner Agreement",
        Who.BOTH,
        Kind.AGREEMENT,
        "Nothing is listed before both sides have signed; it is signed once for your company.",
        needed_for,
        Scope.PARTNER,
        agreement="tpa",
    )


def mnda(id: str) -> Requirement:
    """The mutual non-disclosure agreement: encouraged, never demanded."""
    return Requirement(
        id,
        "Mutual Non-Disclosure Agreement, if needed",
        Who.BOTH,
        Kind.AGREEMENT,
        "Lets both sides speak openly while you build; say that it is not needed to skip it.",
        scope=Scope.PARTNER,
        optional=True,
        agreement="mnda",
    )


def attested(
    id: str,
    title: str,
    statement: str,
    why: str = "",
    needed_for: Stage | None = None,
    *,
    who: Who = Who.PARTNER,
    scope: Scope = Scope.INTEGRATION,
    optional: bool = False,
    group: str = "",
    categories: tuple[str, ...] = (),
    links: tuple[Link, ...] = (),
) -> Requirement:
    """Something that the partner, or the program, confirms in so many words."""
    return Requirement(
        id,
        title,
        who,
        Kind.ATTESTATION,
        why,
        needed_for,
        scope,
        optional,
        group,
        statement=statement,
        categories=categories,
        links=links,
    )


def checked(id: str, title: str, why: str, *checks: str, categories: tuple[str, ...] = ()) -> Requirement:
    """Something that the machine looks at by itself."""
    return Requirement(id, title, Who.MACHINE, Kind.CHECK, why, checks=checks, categories=categories)


def hints(id: str, title: str, *checks: str, categories: tuple[str, ...] = ()) -> Requirement:
    """What the machine can tell from outside, for the partner and the reviewer to read; it never blocks."""
    why = "Hints for you and your reviewer, seen from outside; nothing waits for them."
    return replace(checked(id, title, why, *checks, categories=categories), optional=True)


def feedback_addressed(id: str) -> Requirement:
    """The last word of a review's loop: findings carry the rest."""
    asked = attested(
        id,
        "Address the review's feedback",
        "Every finding of the review has been answered and the development is finished.",
        "Answer each finding first; this says that nothing is left to change.",
    )
    return replace(asked, after_findings=True)


def credentials(id: str, permanent: bool = False) -> Requirement:
    return Requirement(
        id,
        "Credentials for test infrastructure",
        Who.PARTNER,
        Kind.CREDENTIALS,
        "The reviewer runs the integration against your platform; kept encrypted and read only on record.",
        permanent=permanent,
    )


def logo(id: str, optional: bool = False) -> Requirement:
    return Requirement(
        id,
        "Logo for the listing",
        Who.PARTNER,
        Kind.DOCUMENT,
        "Shown beside the listing under the logo guidelines that come with the agreement.",
        scope=Scope.PARTNER,
        optional=optional,
        accept=("png", "jpeg"),
        public=True,
    )


def listing_text(id: str, place: str) -> Requirement:
    return Requirement(
        id,
        "Text for the listing",
        Who.PARTNER,
        Kind.FORM,
        f"Stands on {place} beside the name of the integration.",
        fields=(
            Field(
                "text", "Text", "lines", "What it does and for whom, without praise.", max_length=1000, public="About"
            ),
            Field("page", "Page on your site to link to", "url", required=False, public="Website"),
        ),
    )


def documentation(id: str, title: str, why: str, *more: Field, needed_for: Stage | None = None) -> Requirement:
    return Requirement(
        id,
        title,
        Who.PARTNER,
        Kind.FORM,
        why,
        needed_for,
        fields=(Field("documentation", "Address of the public documentation", "url", public="Documentation"), *more),
    )


def support_plan(id: str, promise: str, where: bool = False) -> Requirement:
    """The promise that support rests on. `where`: there is no repository whose issues could be followed."""
    place = (Field("tracker", "Where users report issues", "url", public="Issues"),) if where else ()
    return Requirement(
        id,
        "Plan for continued support",
        Who.PARTNER,
        Kind.FORM,
        "Users rely on it from the first day in support; without the promise it cannot stay listed.",
        Stage.SUPPORT,
        fields=(
            *place,
            Field("escalation", "E-mail for critical issues", "email"),
            Field("plan", "How issues are taken in and worked on", "lines", max_length=2000),
            Field("promise", promise, "yes"),
        ),
    )
