"""Command that writes the table of docs/reference/settings.md."""

from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from portal.core.generated_docs import TableDocsCommand, format_table_row, render_page
from portal.environment import BASE_DIR, PortalSettings
from portal.environment_types import describe_type

DOCS_PAGE = BASE_DIR / "docs" / "reference" / "settings.md"
START_MARKER, END_MARKER = "<!-- settings: begin -->", "<!-- settings: end -->"
VARIABLES = {"PORTAL_DATA": Path("$PORTAL_DATA"), "PORT": "$PORT", "PORTAL_ENV": "embedded"}  # in defaults of others


def build_table() -> str:
    """Return the settings as a Markdown table, without paths of this machine."""
    lines = ["| Variable | Type | Default | Purpose |", "| --- | --- | --- | --- |"]
    for name, field in PortalSettings.model_fields.items():
        default = _format_default(field)
        kind = describe_type(field).removeprefix("a ")
        lines.append(format_table_row([f"`{name}`", kind, f"`{default}`" if default else "", field.description or ""]))
    return "\n".join(lines)


def _format_default(field: FieldInfo) -> str:
    default: object = field.get_default(call_default_factory=True, validated_data=VARIABLES)
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, list):
        return ",".join(default)
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    return str(default).removeprefix(f"{BASE_DIR}/") if default or default == 0 else ""


def build_page() -> str:
    """Return docs/reference/settings.md with an up-to-date table."""
    return render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_table())


class Command(TableDocsCommand):
    help = "Write the table of docs/reference/settings.md."
    subject = "the settings"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, build_page()
