"""How do other rooms' pages show what the office knows? {% load office %}, then:

{% wait_of integration %}             the forecast while the program has the turn; nothing otherwise
{% waits_of program %}                the same for a program's page: how long its decisions take
"""

from typing import Any

from django import template
from django.utils import timezone

from integrations.models import Integration
from integrations.programs.base import Program
from portal.office import waiting

register = template.Library()


@register.inclusion_tag("office/_forecast.html")
def wait_of(integration: Integration) -> dict[str, Any]:
    return {"told": waiting.told(integration, timezone.now()), "row": integration}


@register.inclusion_tag("office/_forecast.html")
def waits_of(program: Program) -> dict[str, Any]:
    found = waiting.forecast_of(program.key, "review", timezone.now())
    return {"told": waiting.Told(waiting.sentence(program.key, "review", found))}


@register.inclusion_tag("office/_forecasts.html")
def waits_of_rows(rows: list[Integration]) -> dict[str, Any]:
    """What the home says below rows that wait for the program: a sentence for each program and stage among them."""
    now = timezone.now()
    found: dict[tuple[str, str], str] = {}
    for row in rows:
        if (told := waiting.told(row, now)) is not None:
            found.setdefault((row.program_key, row.stage), told.sentence)
    return {"sentences": list(found.values())}
