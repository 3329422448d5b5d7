"""Result of a chaos run, and its text."""

from dataclasses import dataclass

MAX_DELAY_SECONDS = 60  # after the due time
MAX_DELAY_SECONDS_SHORT = 600  # finds a hang, because a test must not depend on the speed of the machine
MAX_RESENT_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class ChaosReport:
    """Counts of a run. `lost`: breaches without a record, or without an email to one of the recipients.

    Seconds after the due time: `slowest` and `p99` until the record, `…_email` until the last recipient's email.
    """

    seed: int
    breaches: int
    lost: int
    false: int
    double: int
    emails: int
    copies: int
    cuts: int
    refusals: int
    kills: int
    flushes: int
    restarts: int
    slowest: float
    p99: float
    slowest_email: float
    p99_email: float
    is_short: bool
    is_calm: bool
    is_naive: bool

    @property
    def max_delay_seconds(self) -> int:
        return MAX_DELAY_SECONDS_SHORT if self.is_short else MAX_DELAY_SECONDS

    @property
    def max_resent(self) -> int:
        """Number of emails that may be sent again. Each kill between sending and recording causes one.

        That can be more than the share of the few emails of a short run.
        """
        return self.kills if self.is_short else int(MAX_RESENT_SHARE * self.emails)

    @property
    def resent(self) -> int:
        """Number of emails delivered again, including those whose connection the mail server cut."""
        return self.copies - self.emails

    @property
    def missed_targets(self) -> list[str]:
        """The targets that the run missed: nothing lost, false, or doubled, and each breach recorded in time.

        Without faults, each must be emailed in time. The usual pattern must lose notifications, or the faults prove
        nothing.
        """
        if self.is_naive:
            return [] if self.lost else ["0 lost"]
        seconds = self.slowest_email if self.is_calm else self.slowest
        targets = {
            f"{self.lost:,} lost": not self.lost,
            f"{self.false:,} false": not self.false,
            f"{self.double:,} recorded twice": not self.double,
            f"{self.resent:,} emails sent again": self.resent <= self.max_resent,
            f"slowest after {seconds:.0f} s": seconds <= self.max_delay_seconds,
        }
        return [figure for figure, is_met in targets.items() if not is_met]

    def format_text(self) -> str:
        """Return the figures and the missed targets."""
        within = f"{'notified' if self.is_calm else 'recorded'} within {self.max_delay_seconds} s"
        targets = f"0 lost, 0 false, 0 recorded twice, ≤ {self.max_resent} emails sent again, {within}"
        targets = "notifications lost, which shows the effect of the faults" if self.is_naive else targets
        missed_targets = ", ".join(self.missed_targets)
        return "\n".join(
            (
                f"faults     {self.kills} kills, {self.flushes} Redis flushes, {self.restarts} database restarts,"
                f" {self.refusals} emails refused, {self.cuts} connections cut (seed {self.seed})",
                f"breaches   {self.breaches:,}: {self.lost:,} lost, {self.false:,} false,"
                f" {self.double:,} recorded twice",
                f"emails     {self.emails:,}: {self.resent:,} sent again",
                f"recorded   p99 {self.p99:.1f} s after the due time, slowest {self.slowest:.1f} s",
                f"notified   p99 {self.p99_email:.1f} s after the due time, slowest {self.slowest_email:.1f} s",
                f"targets    {targets}: {f'missed ({missed_targets})' if missed_targets else 'met'}",
            )
        )
