"""Command that writes the layers of docs/explanation/architecture.md from the contract of import-linter."""

import tomllib

from django.conf import settings

from portal.core.generated_docs import SectionDocsCommand


class Command(SectionDocsCommand):
    help = "Write the layers of docs/explanation/architecture.md."
    subject = "the layers in pyproject.toml"
    page = "explanation/architecture.md"
    section = "layers"

    def build_section(self) -> str:
        """Return the layers as a Mermaid flowchart, the highest one first."""
        pyproject = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())
        contracts = pyproject["tool"]["importlinter"]["contracts"]
        layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
        boxes = [f'    layer{number}["{layer.replace(" | ", ", ")}"]' for number, layer in enumerate(layers)]
        arrows = "    " + " --> ".join(f"layer{number}" for number in range(len(layers)))
        return "\n".join(["```mermaid", "flowchart TB", *boxes, arrows, "```"])
