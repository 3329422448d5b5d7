"""Command that writes the JSON Schema of edition files, for editors."""

import json
from pathlib import Path

from pydantic import TypeAdapter

from integrations.programs.loader import CONTENT
from integrations.programs.schema import EditionFile
from portal.core.generated_docs import TableDocsCommand

SCHEMA_FILE = CONTENT / "schema.json"


class Command(TableDocsCommand):
    help = "Write the JSON Schema of program editions."
    subject = "the dataclasses of edition files"

    def render_docs(self) -> tuple[Path, str]:
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | TypeAdapter(EditionFile).json_schema()
        return SCHEMA_FILE, json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
