"""Filters of the review page and its requirements. None needs {% load %}."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.template.defaultfilters import linebreaksbr, urlize
from django.utils.translation import gettext_noop, ngettext

from portal.ui.components.markup import ENVIRONMENT, component

if TYPE_CHECKING:
    from integrations.reviews.evidence import ReviewItem

ENVIRONMENT.filters |= {"linebreaksbr": linebreaksbr, "urlize": urlize}
# icon and label of the badge by the state of the evidence since the previous round
DIFFERENCES = {"changed": ("git-compare", gettext_noop("Changed")), "new": ("plus", gettext_noop("New"))}


@component
def review_item(
    content: str,
    item: "ReviewItem",
    *,
    href: str,
    checks: object = "",
    can_act: bool = False,
    identity: bool = False,
    finding_url: str = "",
) -> Mapping[str, object]:
    """Render a requirement with its evidence (content), check details, and links to what a reviewer can do."""
    return {"difference": DIFFERENCES.get(item.difference)}


def describe_group_minimum(minimum: int) -> str:
    """Return how many requirements of a group are needed."""
    text = ngettext("(%(needed)s of these is required)", "(%(needed)s of these are required)", minimum)
    return text % {"needed": minimum}


ENVIRONMENT.filters["group_minimum"] = describe_group_minimum
