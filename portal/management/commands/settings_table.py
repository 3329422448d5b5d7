"""Command that writes the table of docs/reference/settings.md."""

import ast
from inspect import getsource
from itertools import pairwise
from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from portal.core.generated_docs import SectionDocsCommand, format_table
from portal.environment import BASE_DIR, PortalSettings
from portal.environment_types import describe_type

VARIABLES = {"PORTAL_DATA": Path("$PORTAL_DATA"), "PORT": "$PORT", "PORTAL_ENV": "embedded"}  # in defaults of others


def _format_default(field: FieldInfo) -> str:
    default: object = field.get_default(call_default_factory=True, validated_data=VARIABLES)
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, list):
        return ",".join(default)
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    return str(default).removeprefix(f"{BASE_DIR}/") if default or default == 0 else ""


def _read_descriptions() -> dict[str, str]:
    """Return the text below each field. pydantic could read them, too, but would do so whenever a process starts."""
    (settings_class,) = ast.parse(getsource(PortalSettings)).body
    return {
        ast.unparse(field.target): " ".join(ast.literal_eval(text.value).split())
        for field, text in pairwise(ast.iter_child_nodes(settings_class))
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


class Command(SectionDocsCommand):
    help = "Write the table of docs/reference/settings.md."
    subject = "the settings"
    page = "reference/settings.md"
    section = "settings"

    def build_section(self) -> str:
        """Return the settings as a Markdown table, without paths of this machine."""
        rows = []
        descriptions = _read_descriptions()
        for name, field in PortalSettings.model_fields.items():
            default = _format_default(field)
            kind = describe_type(field).removeprefix("a ")
            rows.append([f"`{name}`", kind, f"`{default}`" if default else "", descriptions[name]])
        return format_table(("Variable", "Type", "Default", "Purpose"), rows)
