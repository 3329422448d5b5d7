"""Stages of an integration."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy


class Stage(TextChoices):
    """Stage of an integration: five open and three final stages, the same for all programs."""

    ENGAGE = "engage", gettext_lazy("Engage")
    DEVELOP = "develop", gettext_lazy("Develop")
    REVIEW = "review", gettext_lazy("Review")
    RELEASE = "release", gettext_lazy("Release")
    SUPPORT = "support", gettext_lazy("Support")
    WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
    DECLINED = "declined", gettext_lazy("Declined")
    ARCHIVED = "archived", gettext_lazy("Archived")


OPEN_STAGES = (Stage.ENGAGE, Stage.DEVELOP, Stage.REVIEW, Stage.RELEASE, Stage.SUPPORT)
FINAL_STAGES = (Stage.WITHDRAWN, Stage.DECLINED, Stage.ARCHIVED)
