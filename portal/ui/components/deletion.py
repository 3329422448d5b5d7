"""Confirmation of a deletion or removal."""

from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.ui.components.blocks import decision
from portal.ui.components.markup import register, render


@register.simple_block_tag(takes_context=True)
def deletion(
    context: Context,
    content: str,
    *,
    label: str,
    what: object,
    id: str = "",
    action: str = "",
    name: str = "",
    value: str = "",
    icon: str = "",
    cancel: str = "",
    is_open: bool = False,
) -> SafeString:
    """Render a button that opens the confirmation of a deletion or removal, or its form on a page of its own.

    The content says what follows, and can have fields. `label` is the action, and `what` the name of the object. With
    `id`, the confirmation is a dialog, which is open if its form has errors.
    """
    values = {"label": label, "action": action, "name": name, "value": value, "cancel": cancel, "content": content}
    form = render("ui/components/deletion.html", {**values, "csrf_token": context.get("csrf_token", "")})
    if not id:
        return form
    heading = _("%(action)s: %(name)s") % {"action": label, "name": what}
    return decision(form, label=label, id=id, heading=heading, tone="quiet", icon=icon, is_open=is_open)
