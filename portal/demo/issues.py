"""Which issues do users of the demo world open, and what becomes of them? Told in hours and days before today."""

from dataclasses import dataclass

USER, PARTNER, BOT, PASSER_BY = "user", "partner", "bot", "passer_by"
StoryEvent = tuple[
    float, str, str, str
]  # hours after the opening, who, what (say, label, unlabel, close, reopen), the words


@dataclass(frozen=True, slots=True)
class IssueStory:
    """One issue of an integration. `days`: opened how long ago; `late`: what was done reached us only after a week."""

    integration: str
    title: str
    days: float
    acts: tuple[StoryEvent, ...] = ()
    label: str = ""
    late: bool = False


ANSWER_MESSAGE = "Found it: the client gives up after the first timeout. The fix is in the next release."
FIX_MESSAGE = "Released in the new version."


def build_solved_story(integration: str, title: str, days: float, hours: float, label: str = "") -> IssueStory:
    """Answered and closed by the partner that many hours after the opening."""
    events: tuple[StoryEvent, ...] = ((hours / 2, PARTNER, "say", ANSWER_MESSAGE), (hours, PARTNER, "close", ""))
    return IssueStory(integration, title, days, events, label)


STORIES = (
    # in time, and now and then too late: what the trends are made of
    build_solved_story("Booster driver", "Tasks stay pending after an upgrade", 55, 60),
    build_solved_story("Globex Firewall", "Zone names with a dash are refused", 54, 90),
    build_solved_story("Tanuki balancer", "Pool members are added twice", 50, 30, "critical"),
    build_solved_story("Booster driver", "Logs are cut at 4 kB", 46, 110),
    build_solved_story("Papaya rollout", "Which version of Consul is needed?", 45, 20),
    build_solved_story("Nordlicht", "Import of a server forgets its labels", 44, 400),
    build_solved_story("Globex Firewall", "Rules are created in the wrong order", 40, 26, "critical"),
    build_solved_story("Tanuki balancer", "Health checks are ignored", 36, 70),
    build_solved_story("Booster driver", "Driver panics without a cgroup", 33, 70, "crash"),
    build_solved_story("Papaya rollout", "Rollback does not restore the intentions", 30, 300),
    build_solved_story("Globex Firewall", "Plan shows a change that is none", 27, 66),
    build_solved_story("Nordlicht", "Server type is not validated", 24, 100),
    build_solved_story("Tanuki balancer", "Template fails with an empty service", 20, 40),
    build_solved_story("Globex Firewall", "Token is written to the debug log", 17, 20, "security"),
    build_solved_story("Booster driver", "Memory limit is read as megabits", 16, 75),
    build_solved_story("Papaya rollout", "Can a rollout be paused by hand?", 12, 30),
    build_solved_story("Nordlicht", "Image names may hold a slash", 11, 220),
    build_solved_story("Tanuki balancer", "Weight of a member is lost", 9, 48),
    build_solved_story("Globex Firewall", "Address groups are limited to 64", 6, 50),
    build_solved_story("Booster driver", "Allocation restarts in a loop", 5, 28, "critical"),
    # paused: a real question, not yet answered
    IssueStory(
        "Booster driver",
        "GPU is not handed to the task",
        4,
        (
            (5, PARTNER, "say", "Which version of the driver do you run, and what does nvidia-smi print?"),
            (5.1, PARTNER, "label", "needs-info"),
        ),
    ),
    # paused once and running again, with attempts that count for nothing
    IssueStory(
        "Booster driver",
        "Cores are counted twice on big machines",
        5.2,
        (
            (6, PASSER_BY, "say", "Same here, on two machines with 96 cores."),
            (20, PARTNER, "say", "Is hyper-threading switched on there, and which kernel is it?"),
            (52, USER, "say", "It is on, kernel 6.8."),
            (80, BOT, "say", "This issue has been marked as stale because it has not had recent activity."),
            (81, BOT, "close", ""),
            (82, USER, "reopen", ""),
        ),
    ),
    # at risk: critical, most of its 48 hours are gone
    IssueStory(
        "Booster driver",
        "Tasks are killed without a reason in the log",
        1.7,
        ((3, PASSER_BY, "say", "It happens to us as well since the last release."),),
        "critical",
    ),
    IssueStory("Tanuki balancer", "Pool is emptied while a service restarts", 0.6, (), "critical"),
    IssueStory(
        "Globex Firewall",
        "Deleting a zone leaves its rules behind",
        3,
        ((7, PARTNER, "say", "We can see it and look for the cause."),),
    ),
    # breached and still open
    IssueStory(
        "Globex Firewall",
        "Apply deletes rules of another workspace",
        3.5,
        ((4, USER, "say", "This took our staging down. Is anybody looking at it?"),),
        "critical",
    ),
    # broken, and the reason of a notice
    IssueStory(
        "Umbra scan",
        "Scan never ends without a lock file",
        16,
        ((30, USER, "say", "It still hangs with the newest version."),),
        "critical",
    ),
    IssueStory(
        "Umbra scan",
        "Findings are listed twice",
        14,
        ((230, PARTNER, "say", ANSWER_MESSAGE), (232, PARTNER, "close", "")),
    ),
    # said to be broken, and taken back when the answer reached us
    IssueStory(
        "Booster driver",
        "Second disk is not seen",
        10,
        (
            (20, PARTNER, "say", ANSWER_MESSAGE),
            (30, PARTNER, "close", ""),
        ),
        "critical",
        late=True,
    ),
    # blind: past its due moment, but what is known does not reach it
    IssueStory("Nordlicht", "Volumes are detached before the server stops", 9.5),
    IssueStory("Umbra scan", "A scan of an empty plan takes a minute", 2, ((30, PARTNER, "say", ANSWER_MESSAGE),)),
    IssueStory("Papaya rollout", "Does it work with namespaces?", 2.5),
    # labelled critical by a user, and lowered with the program's consent
    IssueStory(
        "Booster driver",
        "Graphs of the dashboard stay empty",
        1.4,
        ((3, PARTNER, "say", "The driver works; the dashboard reads a figure under its old name."),),
        "critical",
    ),
)
