"""Errors of source clients."""

from datetime import datetime


class Unreadable(Exception):
    """A source gave no usable answer. The text is a sentence fit to show."""


class NotFound(Unreadable):
    """The source answered that there is no such thing, or none that we may see."""


class Withheld(Unreadable):
    """The source answered that the law forbids it to show this (451): neither absent nor an outage, and a person's."""


class Denied(Unreadable):
    """The source answered that we may not see it."""


class Unavailable(Unreadable):
    """The source did not answer in a way that can be used: an outage, never the partner's fault.

    `until`: from when on it makes sense to ask again, where that is known.
    """

    def __init__(self, sentence: str = "", until: datetime | None = None) -> None:
        super().__init__(sentence)
        self.until = until


class Refused(Unreadable):
    """The portal does not take the address or its answer, and says why: the one who wrote the address can mend it."""
