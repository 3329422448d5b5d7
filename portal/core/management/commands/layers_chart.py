"""Command that writes the layers of docs/explanation/architecture.md from the contract of import-linter."""

import tomllib
from pathlib import Path

from django.conf import settings

from portal.core.generated_docs import TableDocsCommand, render_page

DOCS_PAGE = settings.BASE_DIR / "docs" / "explanation" / "architecture.md"
START_MARKER, END_MARKER = "<!-- layers: begin -->", "<!-- layers: end -->"


def build_chart() -> str:
    """Return the layers as a Mermaid flowchart, the highest one first."""
    pyproject = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())
    contracts = pyproject["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    boxes = [f'    layer{number}["{layer.replace(" | ", ", ")}"]' for number, layer in enumerate(layers)]
    arrows = "    " + " --> ".join(f"layer{number}" for number in range(len(layers)))
    return "\n".join(["```mermaid", "flowchart TB", *boxes, arrows, "```"])


class Command(TableDocsCommand):
    help = "Write the layers of docs/explanation/architecture.md."
    subject = "the layers in pyproject.toml"

    def render_docs(self) -> tuple[Path, str]:
        return DOCS_PAGE, render_page(DOCS_PAGE, (START_MARKER, END_MARKER), build_chart())
