"""Operations for programs and the JSON schemas of their forms."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest
from ninja import Schema

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Program, RequirementKind
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.forms.requirements import RequirementForm
from integrations.submissions.services.creation import get_entry_edition
from portal.api.routing import ScopedRouter
from portal.api.v1.schemas.common import build_absolute_url
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


class ProgramOut(Schema):
    key: str
    name: str
    product: str
    partners: str
    summary: str
    edition: str
    editions: list[str]
    href: str


class ProgramStepOut(Schema):
    key: str
    name: str
    stages: list[str]
    summary: str
    requirements: list[str]


class ProgramRequirementOut(Schema):
    id: str
    title: str
    responsible_party: str
    kind: str
    optional: bool
    why: str
    questions: JsonObject


class ProgramDetail(ProgramOut):
    """Program with the steps and requirements of its entry edition."""

    steps: list[ProgramStepOut]
    requirements: list[ProgramRequirementOut]
    categories: list[dict[str, str]]
    offerings: list[str]
    tiers: list[dict[str, str]]


class AnswerSchemasOut(Schema):
    """JSON schemas of drafts and of requirements with questions."""

    start: JsonObject
    requirements: dict[str, JsonObject]


def build_form_schema(form: forms.Form) -> dict[str, object]:
    """Build the JSON schema of a form."""
    fields = {name: build_field_schema(field) for name, field in form.fields.items()}
    required_names = [name for name, field in form.fields.items() if field.required]
    return {"type": "object", "properties": fields, "required": required_names, "additionalProperties": False}


def build_field_schema(field: forms.Field) -> dict[str, object]:
    schema = dict(
        next(
            (base_schema for field_class, base_schema in FIELD_SCHEMAS if isinstance(field, field_class)),
            {"type": "string"},
        )
    )
    schema["title"] = str(field.label or "")
    if field.help_text:
        schema["description"] = str(field.help_text)
    if isinstance(field, forms.ChoiceField):
        choice_keys = [str(key) for key, _ in field.choices if str(key)]  # type: ignore[union-attr,misc]
        schema = (
            schema | {"items": {"type": "string", "enum": choice_keys}}
            if "items" in schema
            else schema | {"enum": choice_keys}
        )
    max_length = getattr(field, "max_length", None)
    return schema | {"maxLength": max_length} if max_length else schema


def get_program_or_404(key: str) -> Program:
    if key not in PROGRAMS:
        raise Http404("Program not found.")
    return PROGRAMS[key]


def serialize_program(program: Program) -> dict[str, object]:
    return {
        "key": program.key,
        "name": program.name,
        "product": program.product,
        "partners": program.partners,
        "summary": program.summary,
        "edition": get_entry_edition(program.key).date,
        "editions": [edition.date for edition in program.editions],
        "href": build_absolute_url("submissions:program", program.key),
    }


def build_answer_schema(requirement: Any) -> dict[str, object]:
    return build_form_schema(RequirementForm(requirement)) if requirement.kind == RequirementKind.FORM else {}


@router.get("/programs", "", list[ProgramOut])
def list_programs(request: HttpRequest) -> object:
    """List all programs. Public."""
    return [serialize_program(program) for program in PROGRAMS.values()]


@router.get("/programs/{key}", "", ProgramDetail)
def get_program(request: HttpRequest, key: str) -> object:
    """Get a program with its published steps and requirements. Public."""
    program = get_program_or_404(key)
    edition = get_entry_edition(key)
    return serialize_program(program) | {
        "steps": [
            {
                "key": step.key,
                "name": step.name,
                "stages": [str(stage) for stage in step.stages],
                "summary": step.summary,
                "requirements": [requirement.id for requirement in step.requirements],
            }
            for step in edition.steps
        ],
        "requirements": [
            {
                "id": requirement.id,
                "title": requirement.title,
                "responsible_party": str(requirement.who),
                "kind": str(requirement.kind),
                "optional": requirement.optional,
                "why": requirement.why,
                "questions": build_answer_schema(requirement),
            }
            for requirement in edition.requirements()
        ],
        "categories": [
            {"key": category.key, "name": category.name, "meaning": category.meaning} for category in edition.categories
        ],
        "offerings": list(edition.offerings),
        "tiers": [{"key": tier.key, "name": tier.name, "meaning": tier.meaning} for tier in edition.tiers],
    }


@router.get("/programs/{key}/answer-schema", "", AnswerSchemasOut)
def get_answer_schemas(request: HttpRequest, key: str) -> object:
    """Get JSON schemas of the draft fields and of each requirement's questions. Public."""
    program, edition = get_program_or_404(key), get_entry_edition(key)
    schemas_by_requirement = {
        requirement.id: build_answer_schema(requirement)
        for requirement in edition.requirements()
        if requirement.kind == RequirementKind.FORM
    }
    return {"start": build_form_schema(IntegrationForm(program, edition)), "requirements": schemas_by_requirement}
