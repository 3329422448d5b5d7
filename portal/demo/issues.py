"""GitHub issues of the demo world and their events, in days and hours before today."""

from dataclasses import dataclass

USER, PARTNER, BOT, PASSER_BY = "user", "partner", "bot", "passer_by"
StoryEvent = tuple[
    float, str, str, str
]  # hours after the opening, author, action (comment, label, unlabel, close, reopen), text


@dataclass(frozen=True, slots=True)
class IssueStory:
    """GitHub issue of an integration. With `is_delayed`, its events arrive only after nine days."""

    integration: str
    title: str
    opened_days_ago: float
    events: tuple[StoryEvent, ...] = ()
    label: str = ""
    is_delayed: bool = False


ANSWER_MESSAGE = "I found the cause: the client stops after the first timeout. The next release contains the fix."
FIX_MESSAGE = "Released in the new version."


def build_solved_story(integration: str, title: str, days: float, hours: float, label: str = "") -> IssueStory:
    """Return an issue that the partner answers and closes the given number of hours after the opening."""
    events: tuple[StoryEvent, ...] = ((hours / 2, PARTNER, "comment", ANSWER_MESSAGE), (hours, PARTNER, "close", ""))
    return IssueStory(integration, title, days, events, label)


STORIES = (
    # resolved issues, some of them late, for the trends
    build_solved_story("Booster driver", "Tasks stay pending after an upgrade", 55, 60),
    build_solved_story("Globex Firewall", "Zone names with a hyphen are rejected", 54, 90),
    build_solved_story("Tanuki balancer", "Pool members are added twice", 50, 30, "critical"),
    build_solved_story("Booster driver", "Logs are cut at 4 kB", 46, 110),
    build_solved_story("Papaya rollout", "Which Consul version is required?", 45, 20),
    build_solved_story("Nordlicht", "Importing a server drops its labels", 44, 400),
    build_solved_story("Globex Firewall", "Rules are created in the wrong order", 40, 26, "critical"),
    build_solved_story("Tanuki balancer", "Health checks are ignored", 36, 70),
    build_solved_story("Booster driver", "Driver panics without a cgroup", 33, 70, "crash"),
    build_solved_story("Papaya rollout", "Rollback does not restore the intentions", 30, 300),
    build_solved_story("Globex Firewall", "Plan shows a change after apply", 27, 66),
    build_solved_story("Nordlicht", "Server type is not validated", 24, 100),
    build_solved_story("Tanuki balancer", "Template fails with an empty service", 20, 40),
    build_solved_story("Globex Firewall", "Token is written to the debug log", 17, 20, "security"),
    build_solved_story("Booster driver", "Memory limit is read as megabits", 16, 75),
    build_solved_story("Papaya rollout", "Can I pause a rollout manually?", 12, 30),
    build_solved_story("Nordlicht", "Image names with a slash are rejected", 11, 220),
    build_solved_story("Tanuki balancer", "Member weight is lost after an update", 9, 48),
    build_solved_story("Globex Firewall", "Address groups are limited to 64", 6, 50),
    build_solved_story("Booster driver", "Allocation restarts in a loop", 5, 28, "critical"),
    # paused: an open question to the reporter
    IssueStory(
        "Booster driver",
        "GPU is not available in the task",
        4,
        (
            (5, PARTNER, "comment", "Which version of the driver do you run, and what does nvidia-smi print?"),
            (5.1, PARTNER, "label", "needs-info"),
        ),
    ),
    # paused once and running again, with bot activity that has no effect
    IssueStory(
        "Booster driver",
        "Cores are counted twice on large machines",
        5.2,
        (
            (6, PASSER_BY, "comment", "Same here, on two machines with 96 cores."),
            (20, PARTNER, "comment", "Is hyper-threading enabled, and which kernel version do you run?"),
            (52, USER, "comment", "Enabled, kernel 6.8."),
            (80, BOT, "comment", "This issue has been marked as stale because it has not had recent activity."),
            (81, BOT, "close", ""),
            (82, USER, "reopen", ""),
        ),
    ),
    # at risk: critical, with most of the 48 hours used
    IssueStory(
        "Booster driver",
        "Tasks are killed without a reason in the log",
        1.7,
        ((3, PASSER_BY, "comment", "We see the same since the last release."),),
        "critical",
    ),
    IssueStory("Tanuki balancer", "Pool is emptied while a service restarts", 0.6, (), "critical"),
    IssueStory(
        "Globex Firewall",
        "Deleting a zone leaves its rules behind",
        3,
        ((7, PARTNER, "comment", "We can reproduce it and are investigating."),),
    ),
    # overdue and still open
    IssueStory(
        "Globex Firewall",
        "Apply deletes rules of another workspace",
        3.5,
        ((4, USER, "comment", "This took our staging down. Is anyone working on it?"),),
        "critical",
    ),
    # breached, which leads to a notice
    IssueStory(
        "Umbra scan",
        "Scan hangs without a lock file",
        16,
        ((30, USER, "comment", "It still hangs with the latest version."),),
        "critical",
    ),
    IssueStory(
        "Umbra scan",
        "Findings are listed twice",
        14,
        ((230, PARTNER, "comment", ANSWER_MESSAGE), (232, PARTNER, "close", "")),
    ),
    # breach that is retracted when the response arrives
    IssueStory(
        "Booster driver",
        "Second disk is not detected",
        10,
        (
            (20, PARTNER, "comment", ANSWER_MESSAGE),
            (30, PARTNER, "close", ""),
        ),
        "critical",
        is_delayed=True,
    ),
    # data incomplete: overdue, but the data ends before the due date
    IssueStory("Nordlicht", "Volumes are detached before the server stops", 9.5),
    IssueStory("Umbra scan", "A scan of an empty plan takes a minute", 2, ((30, PARTNER, "comment", ANSWER_MESSAGE),)),
    IssueStory("Papaya rollout", "Does it work with namespaces?", 2.5),
    # reported as critical, then lowered by the program
    IssueStory(
        "Booster driver",
        "Graphs on the dashboard stay empty",
        1.4,
        ((3, PARTNER, "comment", "The driver works. The dashboard still uses the old name of a metric."),),
        "critical",
    ),
)
