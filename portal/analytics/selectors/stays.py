"""Which rows do the figures stand on? One query each, over what the office keeps."""

from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Sum
from django.db.models.functions import Greatest

from portal.analytics.filters import Choice
from portal.analytics.metrics import STAGES, Spent, Stay
from portal.analytics.models import Passage


def stays(choice: Choice) -> list[Stay]:
    """The stays that ended within the period, counted by their length."""
    found = Passage.objects.filter(leaves=True, until__gte=choice.since, until__lte=choice.now, **choice.of())
    rows = found.order_by().values_list("program_key", "stage", "tenths").annotate(n=Count("pk"))
    return [Stay(program, stage, (tenths or 0) / 10, n) for program, stage, tenths, n in rows]


def spent(choice: Choice) -> list[Spent]:
    """The time within the period that has passed on to another holder or stage, added up by the database."""
    found = Passage.objects.filter(until__gte=choice.since, until__lte=choice.now, stage__in=STAGES, **choice.of())
    length = ExpressionWrapper(F("until") - Greatest("since", choice.since), output_field=DurationField())
    groups = found.order_by().values("program_key", "stage", "holder").annotate(time=Sum(length))
    return [Spent(g["program_key"], g["stage"], g["holder"], g["time"] or timedelta()) for g in groups]


def rounds(choice: Choice) -> list[tuple[int, int]]:
    """(round, how many reviews ended in it) within the period."""
    found = Passage.objects.filter(
        leaves=True, stage="review", until__gte=choice.since, until__lte=choice.now, **choice.of()
    )
    return list(found.order_by().values_list("round").annotate(n=Count("pk")))
