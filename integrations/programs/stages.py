"""Stages of an integration."""

from enum import StrEnum


class Stage(StrEnum):
    """Stage of an integration: five open and three final stages, the same for all programs."""

    ENGAGE = "engage"
    DEVELOP = "develop"
    REVIEW = "review"
    RELEASE = "release"
    SUPPORT = "support"
    WITHDRAWN = "withdrawn"
    DECLINED = "declined"
    ARCHIVED = "archived"


OPEN_STAGES = (Stage.ENGAGE, Stage.DEVELOP, Stage.REVIEW, Stage.RELEASE, Stage.SUPPORT)
FINAL_STAGES = (Stage.WITHDRAWN, Stage.DECLINED, Stage.ARCHIVED)
