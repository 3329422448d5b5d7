"""Texts of next actions, queue reasons, void statements, and compliance requests.

The database stores a code with parameters; the text is rendered in the reader's language. Titles, names, and
reasons among the parameters stay as they are.
"""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext, ngettext_lazy

from portal.core.content_files import Content, load_section
from portal.ui.components.moments import format_exact

ActionTextParams = Mapping[str, object]


class ActionText(Content):
    """Text of a code, and for an action on a requirement the label of its button."""

    text: str
    label: str = ""


TEXTS = load_section("integrations/submissions/content/next_actions.yaml", "texts", dict[str, ActionText])
# The content file can't state plural forms.
COUNTED_TEXTS = {
    "sla_breaches": ngettext_lazy(
        "%(count)s SLA breach within %(days)s days", "%(count)s SLA breaches within %(days)s days", "count"
    ),
    "issues_left": ngettext_lazy(
        "%(count)s open issue in a repository that is no longer monitored",
        "%(count)s open issues in a repository that is no longer monitored",
        "count",
    ),
    "respond_to_findings": ngettext_lazy("Respond to %(count)s finding", "Respond to %(count)s findings", "count"),
    "resolved_findings": ngettext_lazy("response to %(count)s finding", "response to %(count)s findings", "count"),
}


def render_action_text(code: str, params: ActionTextParams) -> str:
    """Return the text of a code in the reader's language; blank without a code.

    A parameter with a code and parameters of its own is a text within the text; `until` is a moment.
    """
    if not code:
        return ""
    values = {name: render_action_text(**value) if isinstance(value, dict) else value for name, value in params.items()}
    if "until" in params:
        # Stored as ISO text, because each reader sees the moment in their own time zone and language.
        values["until"] = format_exact(datetime.fromisoformat(str(params["until"])), timezone.localtime())
    text = COUNTED_TEXTS[code] if code in COUNTED_TEXTS else gettext(TEXTS[code].text)
    return str(text % values)


def get_action_label(code: str) -> str:
    """Return the label of the button for an action on a requirement, blank for other actions."""
    return gettext(TEXTS[code].label) if code in TEXTS else ""
