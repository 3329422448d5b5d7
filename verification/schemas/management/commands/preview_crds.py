"""Command that writes a preview of the Crossplane resources of a provider schema."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.core.value_types import NamedValues
from verification.schemas.crossplane.options import (
    CHOICE_OPTIONS,
    GeneratorChoices,
    InvalidChoiceError,
    parse_choices,
    validate_choices,
)
from verification.schemas.crossplane.output import OutputFolderError, write_preview
from verification.schemas.engine.coverage import COVERAGE_TEXT_FILE
from verification.schemas.engine.external_validators import CrdValidators, list_missing_packages
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import SchemaParseError

LIST_ARGUMENTS = (
    (
        "--external-name",
        "[RESOURCE=]RULE",
        "IDENTIFIER_FROM_PROVIDER (default), NAME_AS_IDENTIFIER, PARAMETER_AS_IDENTIFIER:p, "
        "TEMPLATED_STRING_AS_IDENTIFIER:p:template. For all resources, or for one.",
    ),
    ("--kind", "RESOURCE=group/Kind", "Override the group and kind of a resource."),
    (
        "--reference",
        "RESOURCE.path[=RESOURCE]",
        "Value that references another resource, as in acme_server.disk.net_id=acme_net.",
    ),
    (
        "--sensitive",
        "RESOURCE.argument",
        "String argument that is sensitive although the schema doesn't say so.",
    ),
)


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
            "--validate",
            action="store_true",
            help="Validate the definitions with kubernetes-validate and cel-python. Exit with code 1 "
            "if a definition is invalid.",
        )
        parser.add_argument("--out", type=Path, required=True)
        self._add_generator_arguments(parser)

    def _add_generator_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--group-prefix", required=True, help="Group prefix, such as “acme” for acme.upbound.io, or a full domain."
        )
        for flag, metavar, text in LIST_ARGUMENTS:
            parser.add_argument(flag, action="append", default=[], metavar=metavar, help=text)
        parser.add_argument("--category", default="", help="Category. Default: the first label of the domain.")
        parser.add_argument("--api-version", default="v1alpha1", help="API version of the definitions.")
        for name, option in CHOICE_OPTIONS.items():
            flag = f"--{name.replace('_', '-')}"
            parser.add_argument(flag, choices=option.values, default=option.default, help=option.help)

    def handle(self, *, schema: Path, out: Path, **options: Any) -> None:
        try:
            provider_schema = parse_schema(schema.read_bytes(), options["source"])
            generator_choices = validate_choices(provider_schema, _parse_choices(options))
        except (SchemaParseError, InvalidChoiceError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"Can't read {schema}: {error.strerror}.") from error
        missing_packages = list_missing_packages() if options["validate"] else []
        validators = CrdValidators() if options["validate"] and not missing_packages else None
        refusals: list[str] = []
        try:
            write_preview(
                out,
                provider_schema,
                generator_choices,
                lambda name, one: refusals.extend(_find_refusals(validators, name, one)),
            )
        except OutputFolderError as error:
            raise CommandError(str(error)) from error
        self.stdout.write((out / COVERAGE_TEXT_FILE).read_text("utf-8"), ending="")
        if missing_packages:
            self.stdout.write(f"Validation not run. Install {' and '.join(missing_packages)}.")
        if validators:
            self.stdout.write("\n".join([*refusals, _format_validation(validators, len(refusals))]))
        if refusals:
            raise SystemExit(1)


def _parse_choices(options: NamedValues) -> GeneratorChoices:
    return parse_choices(
        options["group_prefix"],
        external=tuple(options["external_name"]),
        kinds=tuple(options["kind"]),
        references=tuple(options["reference"]),
        sensitive=tuple(options["sensitive"]),
        api_version=options["api_version"],
        category=options["category"],
        **{name: options[name] for name in CHOICE_OPTIONS},
    )


def _find_refusals(validators: CrdValidators | None, name: str, definition: dict[str, object]) -> list[str]:
    return [f"{name}: {message}" for message in validators.list_errors(definition)] if validators else []


def _format_validation(validators: CrdValidators, refused_count: int) -> str:
    definitions = f"{validators.definition_count} definitions for Kubernetes {validators.version}"
    summary = f"{definitions} and {validators.rule_count} CEL rules"
    return f"Validated {summary}: {f'{refused_count} invalid' if refused_count else 'all valid'}."
