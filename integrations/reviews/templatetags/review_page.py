"""Components of the review page, whose parts take most of its time. None needs {% load %}.

They take their values from the context of the page.
"""

from django.template import Context
from django.template.defaultfilters import linebreaksbr, urlize
from django.template.engine import Engine
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from portal.ui.components.markup import ENVIRONMENT, register, render

ENVIRONMENT.filters |= {"linebreaksbr": linebreaksbr, "urlize": urlize}
# names of the values of each part
PARTS = {
    "review_index": ("sections",),
    "review_sections": ("sections", "integration", "can_act", "finding_url", "now"),
    "review_next_action": (
        "integration",
        "can_decide",
        "for_me",
        "responsible_party_label",
        "at_rest",
        "now",
    ),
    "review_actions": (
        "integration",
        "program",
        "actions",
        "partner_requirements",
        "can_assign",
        "can_decide",
        "can_claim",
        "for_me",
        "csrf_token",
        "now",
    ),
    "review_details": ("integration", "program", "edition", "contacts", "credentials"),
}


@register.simple_tag(takes_context=True)
def review_part(context: Context, name: str) -> SafeString:
    """Render a part of the review page. Its documents and findings are templates of Django."""

    def include(template_name: str, **values: object) -> SafeString:
        with context.push(**values):
            return Engine.get_default().get_template(template_name).render(context)

    return render(name, {"include": include, **{key: context[key] for key in PARTS[name]}})


def describe_group_minimum(minimum: int) -> str:
    """Return how many requirements of a group are needed."""
    text = ngettext("(%(needed)s of these is required)", "(%(needed)s of these are required)", minimum)
    return text % {"needed": minimum}


ENVIRONMENT.filters["group_minimum"] = describe_group_minimum
