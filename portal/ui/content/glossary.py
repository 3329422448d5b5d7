"""What do our words mean? The one table of the glossary; pages link a word to its row from its first use.

`of` names what a row explains in code ("stage:review"), so that a test finds a word that nobody explains.
"""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext_noop as _

from integrations.programs.registry import PROGRAMS
from portal.ui.components.inline import OUTCOMES
from verification.checks.documentation import OUTCOME_DESCRIPTIONS
from verification.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """One row: its place in the page's address, the word as pages show it, and its meaning in a sentence or two."""

    key: str
    name: str
    meaning: str
    of: tuple[str, ...] = ()
    href: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class GlossaryChapter:
    """Words that belong together, with a sentence about what they are about."""

    key: str
    name: str
    about: str
    words: tuple[GlossaryTerm, ...]


GENERAL_TERMS = (
    GlossaryTerm(
        "program",
        _("Program"),
        _(
            "What HashiCorp offers to partners for one kind of integration: its path, what it asks, "
            "its tiers, and its promise to users."
        ),
        href="programs",
        more=_("All programs"),
    ),
    GlossaryTerm(
        "edition",
        _("Edition"),
        _(
            "The text of a program as of one date. An integration keeps the edition that it entered "
            "with until its company moves it."
        ),
    ),
    GlossaryTerm(
        "integration",
        _("Integration"),
        _(
            "What a company builds for a product: a provider, a run task, a plugin, a driver. "
            "It goes through one program."
        ),
    ),
    GlossaryTerm(
        "requirement",
        _("Requirement"),
        _(
            "One item that a program asks for. It is given by the company, by the program, by "
            "both, or looked at by machine."
        ),
    ),
    GlossaryTerm(
        "tier",
        _("Tier"),
        _(
            "The word that a listed integration may carry, with what it means. A program publishes what each "
            "of its tiers asks."
        ),
        href="programs",
        more=_("What each tier asks"),
    ),
    GlossaryTerm(
        "badge",
        _("Badge"),
        _(
            "A picture that says how an integration stands at this moment: program, tier, standing. It is "
            "made anew each time it is shown."
        ),
        href="verify",
        more=_("Verify a badge"),
    ),
    GlossaryTerm(
        "statement",
        _("Statement"),
        _("The same as the badge, signed: whoever holds it can prove for two hours that the portal said so."),
        href="verify",
        more=_("Verify a statement"),
    ),
)
LISTING_STATUS_TERMS = (
    GlossaryTerm(
        "listed",
        _("Listed"),
        _(
            "Reviewed, released, and supported by its company. It carries a tier, and machines look at "
            "it again every night."
        ),
        ("listing_status:listed", "shown:listed"),
        "listed",
        _("The directory"),
    ),
    GlossaryTerm(
        "notice",
        _("Notice"),
        _(
            "The program has told the company that its support does not keep the promise. Nobody else "
            "is told, the listing does not change, and there is time to answer or to appeal."
        ),
        ("listing_status:on_notice",),
    ),
    GlossaryTerm(
        "suspended",
        _("Suspended"),
        _("The program has taken the tier away for now. The listing and the badge say so."),
        ("listing_status:suspended", "shown:suspended"),
    ),
    GlossaryTerm(
        "removed",
        _("No longer listed"),
        _("The program lists it no longer. Its page stays and says so."),
        ("listing_status:delisted", "shown:delisted"),
    ),
    GlossaryTerm(
        "community",
        _("Community"),
        _(
            "Its company promises no support any more and said so itself, or nobody ever did. That "
            "is no fault: what was published stays usable."
        ),
        ("listing_status:unlisted", "shown:community"),
    ),
    GlossaryTerm("ended", _("No longer supported"), _("Its company has ended its support."), ("shown:ended",)),
    GlossaryTerm(
        "appeal",
        _("Appeal"),
        _(
            "The company says that a decision about its standing is wrong. The period stands still until "
            "a reviewer has decided who took no part in it."
        ),
    ),
)
STAGE_TERMS = (
    GlossaryTerm(
        "engage",
        _("Engage"),
        _("The company and the program get to know each other; agreements are signed."),
        ("stage:engage",),
    ),
    GlossaryTerm(
        "develop",
        _("Develop"),
        _("The company builds, documents and publishes; machines check as it goes."),
        ("stage:develop",),
    ),
    GlossaryTerm(
        "review",
        _("Review"),
        _("People of the program look at it, round by round, and ask for changes as findings."),
        ("stage:review",),
    ),
    GlossaryTerm(
        "release",
        _("Release"),
        _("Approved; the last things are settled and the listing is prepared."),
        ("stage:release",),
    ),
    GlossaryTerm(
        "support",
        _("Support"),
        _("Listed. Issues have clocks, and the machine looks again every night."),
        ("stage:support",),
    ),
    GlossaryTerm(
        "withdrawn", _("Withdrawn"), _("Its company took it back; it can be opened again."), ("stage:withdrawn",)
    ),
    GlossaryTerm(
        "declined",
        _("Declined"),
        _("The program decided against it and said why; a reviewer can open it again."),
        ("stage:declined",),
    ),
    GlossaryTerm(
        "archived", _("Archived"), _("Its company ended the support of a listed integration."), ("stage:archived",)
    ),
    GlossaryTerm(
        "finding",
        _("Finding"),
        _("One thing that the review found, tied to a requirement. The company answers it, the program verifies it."),
    ),
)
RESPONSIBILITY_TERMS = (
    GlossaryTerm(
        "turn", _("Turn"), _("Whose move it is: always exactly one side, with what is to be done and since when.")
    ),
    GlossaryTerm("holder-partner", _("Your turn"), _("The company has something to do."), ("holder:partner",)),
    GlossaryTerm(
        "holder-program", _("Our turn"), _("The program has something to do, and says by when."), ("holder:program",)
    ),
    GlossaryTerm(
        "holder-machine",
        _("The portal’s turn"),
        _("A check runs, or the portal keeps watch. Nobody has to do anything."),
        ("holder:machine",),
    ),
    GlossaryTerm(
        "holder-third",
        _("Somebody else’s turn"),
        _("It waits for somebody outside, for instance a registry. It says for whom."),
        ("holder:third_party",),
    ),
    GlossaryTerm(
        "on-hold", _("On hold"), _("It waits for something that the program named; no time counts against anybody.")
    ),
    GlossaryTerm("claim", _("Claim"), _("A reviewer has it in hand for a while, so that two do not do the same.")),
)
SLA_TERMS = (
    GlossaryTerm(
        "promise",
        _("Promise (SLA)"),
        _("How soon the company of a listed integration answers or resolves issues; each program publishes its own."),
    ),
    GlossaryTerm("clock", _("Clock"), _("How much of the promised time an issue has used. Anybody may read why.")),
    GlossaryTerm(
        "critical",
        _("Critical"),
        _("An issue that carries a label which the company and the program agreed on. Everything else is other."),
    ),
    GlossaryTerm("running", _("Running"), _("Time counts: an answer is due."), ("clock:running",)),
    GlossaryTerm(
        "paused",
        _("Paused"),
        _("Time does not count, for instance while the reporter was asked something."),
        ("clock:paused",),
    ),
    GlossaryTerm("met", _("In time"), _("What stops the clock came before it was due."), ("clock:met",)),
    GlossaryTerm("late", _("Late"), _("What stops the clock came, but after it was due."), ("clock:late",)),
    GlossaryTerm("overdue", _("Overdue"), _("The due moment has passed and nothing has come."), ("clock:overdue",)),
    GlossaryTerm(
        "data_incomplete",
        _("Blind"),
        _(
            "The due moment has passed, but we have not seen everything up to it. Nobody is called late for "
            "what we did not see."
        ),
        ("clock:data_incomplete",),
    ),
    GlossaryTerm(
        "off",
        _("Not counted"),
        _("Nothing is promised for this issue, or it is not covered."),
        ("clock:not_applicable",),
    ),
    GlossaryTerm(
        "breach",
        _("Breach"),
        _("A promise that was not kept, with its evidence. It is taken back when it turns out otherwise."),
    ),
    GlossaryTerm(
        "business-day",
        _("Business day"),
        _("A working day in the company’s own calendar: its zone, its week, its holidays."),
    ),
)
CHECK_TERMS = (
    GlossaryTerm(
        "check",
        _("Check"),
        _("A question that a machine settles, with evidence. The same check runs on your own machine."),
        href="checks_help",
        more=_("Every check"),
    ),
    *(
        GlossaryTerm(
            f"verdict-{outcome}".replace("_", "-"),
            OUTCOMES[str(outcome)][2],
            OUTCOME_DESCRIPTIONS[outcome],
            (f"outcome:{outcome}",),
        )
        for outcome in Outcome
    ),
    GlossaryTerm(
        "evidence", _("Evidence"), _("What a check or a decision rests on: what was looked at, which version, when.")
    ),
    GlossaryTerm(
        "waiver", _("Waiver"), _("The program lets one requirement go, with a reason and an end. The listing shows it.")
    ),
)
CHAPTERS = (
    GlossaryChapter("things", _("Programs and badges"), _("What there is."), GENERAL_TERMS),
    GlossaryChapter("standings", _("Standing"), _("How a listed integration stands, as its page and its badge say it."),
            LISTING_STATUS_TERMS),
    GlossaryChapter("stages", _("Stages"), _("Where it is on its way: five stages and three ends, in every program. "
            "Each program calls its own steps by their published names."), STAGE_TERMS),
    GlossaryChapter("turns", _("Turns"), _("Who has to do something."), RESPONSIBILITY_TERMS),
    GlossaryChapter("clocks", _("Clocks"), _("How promises about issues are kept."), SLA_TERMS),
    GlossaryChapter("checks", _("Checks"), _("What a machine says of an integration."), CHECK_TERMS),
)  # fmt: skip
TERMS_BY_KEY: dict[str, GlossaryTerm] = {word.key: word for chapter in CHAPTERS for word in chapter.words}


def build_url(key: str) -> str:
    """Where a word is explained. Raises KeyError for a word that is not."""
    return f"{reverse('words')}#{TERMS_BY_KEY[key].key}"


def list_tiers() -> list[tuple[str, str, str, str]]:
    """Every tier of every program: (program, tier, meaning, address of what it asks)."""
    return [
        (program.name, tier.name, tier.meaning, f"{reverse('program', args=[program.key])}#tier-{tier.key}")
        for program in PROGRAMS.values()
        for tier in program.newest.tiers
    ]
