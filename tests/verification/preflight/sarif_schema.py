"""The schema of SARIF 2.1.0."""

import json
from pathlib import Path

from jsonschema import Draft4Validator

SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json").read_text())


def validate_sarif(log: object) -> None:
    """Raise jsonschema.ValidationError if the log doesn't fit the schema."""
    Draft4Validator(SCHEMA, format_checker=Draft4Validator.FORMAT_CHECKER).validate(log)
