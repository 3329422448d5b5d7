"""What do our words mean? The one table of the glossary; pages link a word to its row from its first use.

`of` names what a row explains in code ("stage:review"), so that a test finds a word that nobody explains.
"""

from dataclasses import dataclass

from django.urls import reverse

from integrations.programs import PROGRAMS
from integrations.programs.base import OPEN_STAGES
from verification.base import Outcome
from verification.explaining import MEANINGS


@dataclass(frozen=True, slots=True)
class Word:
    """One row: its place in the page's address, the word as pages show it, and its meaning in a sentence or two."""

    key: str
    name: str
    meaning: str
    of: tuple[str, ...] = ()
    href: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Words that belong together, with a sentence about what they are about."""

    key: str
    name: str
    about: str
    words: tuple[Word, ...]


THINGS = (
    Word(
        "program",
        "Program",
        "What HashiCorp offers to partners for one kind of integration: its path, what it asks, "
        "its tiers, and its promise to users.",
        href="programs",
        more="All programs",
    ),
    Word(
        "edition",
        "Edition",
        "The text of a program as of one date. An integration keeps the edition that it entered "
        "with until its company moves it.",
    ),
    Word(
        "integration",
        "Integration",
        "What a company builds for a product: a provider, a run task, a plugin, a driver. It goes through one program.",
    ),
    Word(
        "requirement",
        "Requirement",
        "One item that a program asks for. It is given by the company, by the program, by "
        "both, or looked at by machine.",
    ),
    Word(
        "tier",
        "Tier",
        "The word that a listed integration may carry, with what it means. A program publishes what each "
        "of its tiers asks.",
        href="programs",
        more="What each tier asks",
    ),
    Word(
        "badge",
        "Badge",
        "A picture that says how an integration stands at this moment: program, tier, standing. It is "
        "made anew each time it is shown.",
        href="verify",
        more="Verify a badge",
    ),
    Word(
        "statement",
        "Statement",
        "The same as the badge, signed: whoever holds it can prove for two hours that the portal said so.",
        href="verify",
        more="Verify a statement",
    ),
)
STANDINGS = (
    Word(
        "listed",
        "Listed",
        "Reviewed, released, and supported by its company. It carries a tier, and machines look at "
        "it again every night.",
        ("standing:verified", "shown:listed"),
        "listed",
        "The directory",
    ),
    Word(
        "notice",
        "Notice",
        "The program has told the company that its support does not keep the promise. Nobody else "
        "is told, the listing does not change, and there is time to answer or to appeal.",
        ("standing:notice",),
    ),
    Word(
        "suspended",
        "Suspended",
        "The program has taken the tier away for now. The listing and the badge say so.",
        ("standing:suspended", "shown:suspended"),
    ),
    Word(
        "removed",
        "No longer listed",
        "The program lists it no longer. Its page stays and says so.",
        ("standing:removed", "shown:removed"),
    ),
    Word(
        "community",
        "Community",
        "Its company promises no support any more and said so itself, or nobody ever did. That "
        "is no fault: what was published stays usable.",
        ("standing:none", "shown:community"),
    ),
    Word("ended", "No longer supported", "Its company has ended its support.", ("shown:ended",)),
    Word(
        "appeal",
        "Appeal",
        "The company says that a decision about its standing is wrong. The period stands still until "
        "a reviewer has decided who took no part in it.",
    ),
)
STAGES = (
    Word(
        "engage",
        "Engage",
        "The company and the program get to know each other; agreements are signed.",
        ("stage:engage",),
    ),
    Word(
        "develop",
        "Develop",
        "The company builds, documents and publishes; machines check as it goes.",
        ("stage:develop",),
    ),
    Word(
        "review",
        "Review",
        "People of the program look at it, round by round, and ask for changes as findings.",
        ("stage:review",),
    ),
    Word(
        "release", "Release", "Approved; the last things are settled and the listing is prepared.", ("stage:release",)
    ),
    Word(
        "support", "Support", "Listed. Issues have clocks, and the machine looks again every night.", ("stage:support",)
    ),
    Word("withdrawn", "Withdrawn", "Its company took it back; it can be opened again.", ("stage:withdrawn",)),
    Word(
        "declined",
        "Declined",
        "The program decided against it and said why; a reviewer can open it again.",
        ("stage:declined",),
    ),
    Word("archived", "Archived", "Its company ended the support of a listed integration.", ("stage:archived",)),
    Word(
        "finding",
        "Finding",
        "One thing that the review found, tied to a requirement. The company answers it, the program verifies it.",
    ),
)
TURNS = (
    Word("turn", "Turn", "Whose move it is: always exactly one side, with what is to be done and since when."),
    Word("holder-partner", "Your turn", "The company has something to do.", ("holder:partner",)),
    Word("holder-program", "Our turn", "The program has something to do, and says by when.", ("holder:program",)),
    Word(
        "holder-machine",
        "The portal’s turn",
        "A check runs, or the portal keeps watch. Nobody has to do anything.",
        ("holder:machine",),
    ),
    Word(
        "holder-third",
        "Somebody else’s turn",
        "It waits for somebody outside, for instance a registry. It says for whom.",
        ("holder:third_party",),
    ),
    Word("on-hold", "On hold", "It waits for something that the program named; no time counts against anybody."),
    Word("claim", "Claim", "A reviewer has it in hand for a while, so that two do not do the same."),
)
CLOCKS = (
    Word(
        "promise",
        "Promise (SLA)",
        "How soon the company of a listed integration answers or resolves issues; each program publishes its own.",
    ),
    Word("clock", "Clock", "How much of the promised time an issue has used. Anybody may read why."),
    Word(
        "critical",
        "Critical",
        "An issue that carries a label which the company and the program agreed on. Everything else is other.",
    ),
    Word("running", "Running", "Time counts: an answer is due.", ("clock:running",)),
    Word(
        "paused",
        "Paused",
        "Time does not count, for instance while the reporter was asked something.",
        ("clock:paused",),
    ),
    Word("met", "In time", "What stops the clock came before it was due.", ("clock:met",)),
    Word("late", "Late", "What stops the clock came, but after it was due.", ("clock:late",)),
    Word("overdue", "Overdue", "The due moment has passed and nothing has come.", ("clock:overdue",)),
    Word(
        "blind",
        "Blind",
        "The due moment has passed, but we have not seen everything up to it. Nobody is called late for "
        "what we did not see.",
        ("clock:blind",),
    ),
    Word("off", "Not counted", "Nothing is promised for this issue, or it is not covered.", ("clock:off",)),
    Word(
        "breach",
        "Breach",
        "A promise that was not kept, with its evidence. It is taken back when it turns out otherwise.",
    ),
    Word(
        "business-day", "Business day", "A working day in the company’s own calendar: its zone, its week, its holidays."
    ),
)
VERDICT_NAMES = {
    Outcome.PASS: "Passed",
    Outcome.WARN: "Warning",
    Outcome.FAIL: "Failed",
    Outcome.ERROR: "Could not look",
    Outcome.NOT_RUN: "Not run",
    Outcome.WAIVED: "Waived",
    Outcome.STALE: "Stale",
}
CHECKS = (
    Word(
        "check",
        "Check",
        "A question that a machine settles, with evidence. The same check runs on your own machine.",
        href="checks_help",
        more="Every check",
    ),
    *(
        Word(f"verdict-{outcome}".replace("_", "-"), VERDICT_NAMES[outcome], MEANINGS[outcome], (f"outcome:{outcome}",))
        for outcome in Outcome
    ),
    Word("evidence", "Evidence", "What a check or a decision rests on: what was looked at, which version, when."),
    Word("waiver", "Waiver", "The program lets one requirement go, with a reason and an end. The listing shows it."),
)
CHAPTERS = (
    Chapter("things", "Programs and badges", "What there is.", THINGS),
    Chapter("standings", "Standing", "How a listed integration stands, as its page and its badge say it.", STANDINGS),
    Chapter("stages", "Stages", f"Where it is on its way: {len(OPEN_STAGES)} stages and three ends, in every program. "
            "Each program calls its own steps by their published names.", STAGES),
    Chapter("turns", "Turns", "Who has to do something.", TURNS),
    Chapter("clocks", "Clocks", "How promises about issues are kept.", CLOCKS),
    Chapter("checks", "Checks", "What a machine says of an integration.", CHECKS),
)  # fmt: skip
WORDS: dict[str, Word] = {word.key: word for chapter in CHAPTERS for word in chapter.words}


def address_of(key: str) -> str:
    """Where a word is explained. Raises KeyError for a word that is not."""
    return f"{reverse('words')}#{WORDS[key].key}"


def tiers() -> list[tuple[str, str, str, str]]:
    """Every tier of every program: (program, tier, meaning, address of what it asks)."""
    return [
        (program.name, tier.name, tier.meaning, f"{reverse('program', args=[program.key])}#tier-{tier.key}")
        for program in PROGRAMS.values()
        for tier in program.newest.tiers
    ]
