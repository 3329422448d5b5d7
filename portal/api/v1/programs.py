"""Which programs are there, and what does each ask? Also as JSON Schema, made of the same forms as the pages."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest
from ninja import Schema

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Kind, Program
from integrations.submissions.forms.drafts import StartForm
from integrations.submissions.forms.requirements import RequirementForm
from integrations.submissions.services.creation import entering_edition
from portal.api.routing import Room
from portal.api.v1.schemas.submissions import absolute

room = Room("Programs")
SHAPES: tuple[tuple[type[forms.Field], dict[str, Any]], ...] = (
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


class StepIn(Schema):
    key: str
    name: str
    stages: list[str]
    summary: str
    requirements: list[str]


class Asked(Schema):
    id: str
    title: str
    who: str
    kind: str
    optional: bool
    why: str
    questions: dict[str, Any]


class ProgramWhole(ProgramOut):
    """The path of the edition that new integrations enter."""

    steps: list[StepIn]
    requirements: list[Asked]
    categories: list[dict[str, str]]
    offerings: list[str]
    tiers: list[dict[str, str]]


class Questions(Schema):
    """JSON Schemas: of the start form, and of each requirement that asks questions."""

    start: dict[str, Any]
    requirements: dict[str, dict[str, Any]]


def schema_of(form: forms.Form) -> dict[str, Any]:
    """A form as a JSON Schema."""
    fields = {name: schema_of_field(field) for name, field in form.fields.items()}
    needed = [name for name, field in form.fields.items() if field.required]
    return {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}


def schema_of_field(field: forms.Field) -> dict[str, Any]:
    found = dict(next((shape for kind, shape in SHAPES if isinstance(field, kind)), {"type": "string"}))
    found["title"] = str(field.label or "")
    if field.help_text:
        found["description"] = str(field.help_text)
    if isinstance(field, forms.ChoiceField):
        keys = [str(key) for key, _ in field.choices if str(key)]  # type: ignore[union-attr,misc]
        found = found | {"items": {"type": "string", "enum": keys}} if "items" in found else found | {"enum": keys}
    longest = getattr(field, "max_length", None)
    return found | {"maxLength": longest} if longest else found


def program_or_404(key: str) -> Program:
    if key not in PROGRAMS:
        raise Http404("There is no such program.")
    return PROGRAMS[key]


def program_out(program: Program) -> dict[str, Any]:
    return {
        "key": program.key, "name": program.name, "product": program.product, "partners": program.partners,
        "summary": program.summary, "edition": entering_edition(program.key).date,
        "editions": [edition.date for edition in program.editions], "href": absolute("program", program.key),
    }  # fmt: skip


def questions_of(requirement: Any) -> dict[str, Any]:
    return schema_of(RequirementForm(requirement)) if requirement.kind == Kind.FORM else {}


@room.get("/programs", "", list[ProgramOut])
def list_programs(request: HttpRequest) -> Any:
    """Every program. Open to everybody."""
    return [program_out(program) for program in PROGRAMS.values()]


@room.get("/programs/{key}", "", ProgramWhole)
def get_program(request: HttpRequest, key: str) -> Any:
    """One program with its path as published. Open to everybody."""
    program = program_or_404(key)
    edition = entering_edition(key)
    return program_out(program) | {
        "steps": [
            {"key": s.key, "name": s.name, "stages": [str(stage) for stage in s.stages], "summary": s.summary,
             "requirements": [r.id for r in s.requirements]}
            for s in edition.steps
        ],
        "requirements": [
            {"id": r.id, "title": r.title, "who": str(r.who), "kind": str(r.kind), "optional": r.optional,
             "why": r.why, "questions": questions_of(r)}
            for r in edition.requirements()
        ],
        "categories": [{"key": c.key, "name": c.name, "meaning": c.meaning} for c in edition.categories],
        "offerings": list(edition.offerings),
        "tiers": [{"key": t.key, "name": t.name, "meaning": t.meaning} for t in edition.tiers],
    }  # fmt: skip


@room.get("/programs/{key}/questions", "", Questions)
def get_questions(request: HttpRequest, key: str) -> Any:
    """What is asked, as JSON Schema: the fields of a draft, and each requirement's form. Open to everybody."""
    program, edition = program_or_404(key), entering_edition(key)
    asked = {r.id: questions_of(r) for r in edition.requirements() if r.kind == Kind.FORM}
    return {"start": schema_of(StartForm(program, edition)), "requirements": asked}
