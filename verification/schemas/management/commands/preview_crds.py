"""Command that writes a preview of the Crossplane resources of a provider schema."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error
from verification.schemas.crossplane.coverage import COVERAGE_TEXT_FILE, iterate_files
from verification.schemas.crossplane.options import (
    CHOICE_OPTIONS,
    LIST_OPTIONS,
    InvalidChoiceError,
    parse_choices,
    validate_choices,
)
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import SchemaParseError

GENERATOR_OPTIONS = (*LIST_OPTIONS, "api_version", "category", *CHOICE_OPTIONS)


class Command(BaseCommand):
    help = (
        "Write one YAML file per resource and scope, the provider's own definitions, metadata, examples, and "
        "configuration of Upjet, and the coverage as JSON and text, to a folder."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("schema", type=Path, help="Output of “terraform providers schema -json”, plain or gzipped.")
        parser.add_argument("--source", default="", help="Provider address, if the file contains several providers.")
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FOLDER", help="Empty folder to write to. Created if missing."
        )
        parser.add_argument(
            "--group-prefix", required=True, help="Group prefix, such as “acme” for acme.upbound.io, or a full domain."
        )
        for name, each in LIST_OPTIONS.items():
            parser.add_argument(each.flag, dest=name, action="append", default=[], metavar=each.metavar, help=each.help)
        parser.add_argument("--category", default="", help="Category. Default: the first label of the domain.")
        parser.add_argument("--api-version", default="v1alpha1", help="API version of the definitions.")
        for name, option in CHOICE_OPTIONS.items():
            flag = f"--{name.replace('_', '-')}"
            parser.add_argument(flag, choices=option.values, default=option.default, help=option.help)

    def handle(self, *, schema: Path, out: Path, **options: Any) -> None:
        try:
            provider_schema = parse_schema(schema.read_bytes(), options["source"])
            arguments = {name: options[name] for name in GENERATOR_OPTIONS}
            generator_choices = validate_choices(provider_schema, parse_choices(options["group_prefix"], **arguments))
        except (SchemaParseError, InvalidChoiceError) as error:
            raise build_usage_error(error) from error
        except OSError as error:
            raise build_usage_error(f"Can't read {schema}: {error.strerror}.") from error
        try:
            out.mkdir(parents=True, exist_ok=True)
            if any(out.iterdir()):
                raise build_usage_error(f"{out} contains files. Use an empty folder.")
            for name, text, _definition in iterate_files(provider_schema, generator_choices):
                (out / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise build_usage_error(f"Can't write to {out}: {error.strerror}.") from error
        self.stdout.write((out / COVERAGE_TEXT_FILE).read_text("utf-8"), ending="")
