"""Operations for programs and the JSON schemas of their forms."""

from operator import attrgetter
from typing import Annotated, NamedTuple

from django import forms
from django.http import Http404, HttpRequest
from ninja import Schema
from pydantic import BeforeValidator, Field

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import Requirement, RequirementKind
from integrations.programs.schema import Edition, Program
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.forms.requirements import RequirementForm
from portal.api.routing import ScopedRouter
from portal.api.v1.schemas.common import link_to
from portal.core.value_types import JsonObject

router = ScopedRouter("Programs")
FIELD_SCHEMAS: tuple[tuple[type[forms.Field], dict[str, object]], ...] = (
    (forms.MultipleChoiceField, {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (forms.ChoiceField, {"type": "string"}),
    (forms.URLField, {"type": "string", "format": "uri"}),
    (forms.EmailField, {"type": "string", "format": "email"}),
    (forms.DateTimeField, {"type": "string", "format": "date-time"}),
    (forms.DateField, {"type": "string", "format": "date"}),
    (forms.IntegerField, {"type": "integer"}),
    (forms.DecimalField, {"type": "number"}),
    (forms.BooleanField, {"type": "boolean"}),
)


class PublishedProgram(NamedTuple):
    """Program with its edition in force."""

    program: Program
    edition: Edition


# Category or tier
OptionOut = Annotated[
    dict[str, str], BeforeValidator(lambda row: {"key": row.key, "name": row.name, "description": row.description})
]


class ProgramOut(Schema):
    key: str = Field(validation_alias="program.key")
    name: str = Field(validation_alias="program.name")
    product: str = Field(validation_alias="program.product")
    partner_type: str = Field(validation_alias="program.partner_type")
    summary: str = Field(validation_alias="program.summary")
    edition: str = Field(validation_alias="edition.date")
    editions: list[Annotated[str, BeforeValidator(attrgetter("date"))]] = Field(validation_alias="program.editions")
    href: Annotated[str, link_to("submissions:program")] = Field(validation_alias="program.key")


class ProgramStepOut(Schema):
    key: str
    name: str
    stages: list[str]
    summary: str
    requirements: list[Annotated[str, BeforeValidator(attrgetter("id"))]]


class ProgramRequirementOut(Schema):
    id: str
    title: str
    responsible_party: str
    kind: str
    optional: bool
    reason: str
    questions: JsonObject

    @staticmethod
    def resolve_questions(requirement: Requirement) -> JsonObject:
        return build_answer_schema(requirement)


class ProgramDetail(ProgramOut):
    """Program with the steps and requirements of its edition in force."""

    steps: list[ProgramStepOut] = Field(validation_alias="edition.steps")
    requirements: list[ProgramRequirementOut] = Field(validation_alias="edition.list_requirements")
    categories: list[OptionOut] = Field(validation_alias="edition.categories")
    offerings: list[str] = Field(validation_alias="edition.offerings")
    tiers: list[OptionOut] = Field(validation_alias="edition.tiers")


class AnswerSchemasOut(Schema):
    """JSON schemas of drafts and of requirements with questions."""

    start: JsonObject
    requirements: dict[str, JsonObject]


def build_form_schema(form: forms.Form) -> JsonObject:
    """Build the JSON schema of a form."""
    fields = {name: build_field_schema(field) for name, field in form.fields.items()}
    required_names = [name for name, field in form.fields.items() if field.required]
    return {"type": "object", "properties": fields, "required": required_names, "additionalProperties": False}


def build_field_schema(field: forms.Field) -> JsonObject:
    base_schemas = (schema for field_class, schema in FIELD_SCHEMAS if isinstance(field, field_class))
    schema: JsonObject = next(base_schemas, {"type": "string"}) | {"title": str(field.label or "")}
    if field.help_text:
        schema["description"] = str(field.help_text)
    if isinstance(field, forms.ChoiceField):
        choice_keys = [str(key) for key, _ in field.choices if str(key)]  # type: ignore[union-attr,misc]
        schema |= {"items": {"type": "string", "enum": choice_keys}} if "items" in schema else {"enum": choice_keys}
    max_length = getattr(field, "max_length", None)
    return schema | {"maxLength": max_length} if max_length else schema


def build_answer_schema(requirement: Requirement) -> JsonObject:
    """Build the JSON schema of a requirement's questions, empty for other kinds of requirements."""
    return build_form_schema(RequirementForm(requirement)) if requirement.kind == RequirementKind.FORM else {}


@router.get("/programs", "", list[ProgramOut])
def list_programs(request: HttpRequest) -> list[PublishedProgram]:
    """List all programs. Public."""
    return [PublishedProgram(program, get_edition_in_force(key)) for key, program in PROGRAMS.items()]


@router.get("/programs/{key}", "", ProgramDetail)
def get_program(request: HttpRequest, key: str) -> PublishedProgram:
    """Get a program with its published steps and requirements. Public."""
    if key not in PROGRAMS:
        raise Http404("Program not found.")
    return PublishedProgram(PROGRAMS[key], get_edition_in_force(key))


@router.get("/programs/{key}/answer-schema", "", AnswerSchemasOut)
def get_answer_schemas(request: HttpRequest, key: str) -> AnswerSchemasOut:
    """Get JSON schemas of the draft fields and of each requirement's questions. Public."""
    program, edition = get_program(request, key)
    schemas = {requirement.id: build_answer_schema(requirement) for requirement in edition.list_requirements()}
    return AnswerSchemasOut(
        start=build_form_schema(IntegrationForm(program, edition)),
        requirements={id: schema for id, schema in schemas.items() if schema},
    )
