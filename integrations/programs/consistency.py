"""Consistency rules of an edition's file that types can't express.

Every rule yields one `Inconsistency` for each violation. Locations use the keys of the YAML file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from integrations.programs.requirements import KINDS, Question, Requirement, RequirementGroup, RequirementKind
from integrations.programs.schema import Edition, EditionFile, Step, Tier
from integrations.programs.stages import Stage
from portal.core.content_errors import Location, format_location, suggest

Place = tuple[Location, Requirement]
CHOICE_TYPES = ("choice", "choices")
REPOSITORY_NAME_CHECK = "repository.name"
LICENSE_CHECK = "repository.license"
# The draft form has these fields, so requirements must not ask for them again.
START_FORM_FIELDS = frozenset({"name", "description", "repository", "category", "homepage", "offerings"})
LAST_STAGES = (Stage.REVIEW, Stage.RELEASE, Stage.SUPPORT)


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A violation of a rule: where it is, what is wrong, and how to fix it."""

    location: Location
    problem: str
    fix: str


def find_inconsistencies(file: EditionFile) -> Iterator[Inconsistency]:
    """Yield every violation inside one file."""
    edition = file.edition
    yield from _find_duplicates(edition)
    yield from _find_path_errors(edition)
    yield from _find_unknown_groups(edition)
    yield from _find_tier_errors(edition)
    for location, requirement in _list_requirements(edition):
        yield from _find_requirement_errors(location, requirement, edition)
    yield from _find_agreement_errors(edition)
    yield from _find_offering_errors(edition)
    yield from _find_license_errors(edition)
    yield from _find_repository_errors(file)


def find_unknown_checks(edition: Edition, known_keys: Sequence[str]) -> Iterator[Inconsistency]:
    """Yield the references to checks that do not exist."""
    for location, requirement in _list_requirements(edition):
        places = (((*location, "checks", index), key) for index, key in enumerate(requirement.checks))
        yield from _find_unknown("check", places, known_keys)


def _list_requirements(edition: Edition) -> list[Place]:
    """Return every requirement of the steps and the tiers with its location."""
    owners: tuple[tuple[str, Sequence[Step | Tier]], ...] = (("steps", edition.steps), ("tiers", edition.tiers))
    return [
        (("edition", name, number, "requirements", index), requirement)
        for name, parts in owners
        for number, part in enumerate(parts)
        for index, requirement in enumerate(part.requirements)
    ]


def _find_duplicates(edition: Edition) -> Iterator[Inconsistency]:
    keys_by_name = {
        "steps": [step.key for step in edition.steps],
        "categories": [category.key for category in edition.categories],
        "tiers": [tier.key for tier in edition.tiers],
    }
    for name, keys in keys_by_name.items():
        yield from _find_repeated((("edition", name, number, "key"), key) for number, key in enumerate(keys))
    first_places: dict[str, Place] = {}
    for location, requirement in _list_requirements(edition):
        first_location, first = first_places.setdefault(requirement.id, (location, requirement))
        # A tier can repeat a requirement of the steps, if both are identical, such as through a YAML alias.
        if first_location != location and (first != requirement or first_location[1] == location[1]):
            yield _describe_duplicate((*location, "id"), requirement.id, (*first_location, "id"))
        fields = enumerate(requirement.fields)
        yield from _find_repeated(((*location, "fields", number, "key"), field.key) for number, field in fields)


def _find_repeated(keys: Iterable[tuple[Location, str]]) -> Iterator[Inconsistency]:
    first: dict[str, Location] = {}
    for location, key in keys:
        if first.setdefault(key, location) != location:
            yield _describe_duplicate(location, key, first[key])


def _describe_duplicate(location: Location, key: str, first: Location) -> Inconsistency:
    problem = f"{key!r} is already used at {format_location(first)}."
    return Inconsistency(location, problem, "Use a unique key.")


def _find_path_errors(edition: Edition) -> Iterator[Inconsistency]:
    location: Location
    stages = [stage for _, stage in edition.positions]
    # The state machine has one way through these stages, whatever the steps of the program are called.
    if tuple(stage for stage in stages if stage in LAST_STAGES) != LAST_STAGES or stages[-1] != Stage.SUPPORT:
        problem = "The steps don't pass through review, release, and support in this order, or don't end in support."
        yield Inconsistency(("edition", "steps"), problem, "Correct the stages of the steps.")
        return
    for number, step in enumerate(edition.steps):
        if step.review.second_reviewer and Stage.REVIEW not in step.stages:
            location = ("edition", "steps", number, "review")
            yield Inconsistency(location, "The step has no review.", "Move it to the step with the stage review.")
        begin = next(index for index, (each, _) in enumerate(edition.positions) if each.key == step.key)
        for index, requirement in enumerate(step.requirements):
            location = ("edition", "steps", number, "requirements", index, "needed_for")
            stage = requirement.needed_for
            if stage is not None and stage not in stages:
                yield Inconsistency(location, f"Unknown stage {stage}: no step has it.", "Use a stage of a step.")
            # An integration starts at the first position, so nothing can be due before it.
            elif not max(begin, 1) <= edition.get_deadline(requirement) < len(stages):
                problem = "The requirement would be due before its step begins, or after the last step."
                yield Inconsistency(location, problem, 'Use a later stage, in the last step "support".')


def _find_unknown_groups(edition: Edition) -> Iterator[Inconsistency]:
    path = [place for place in _list_requirements(edition) if place[0][1] == "steps"]
    yield from _find_group_errors(("edition",), edition.groups, path)
    for number, tier in enumerate(edition.tiers):
        location: Location = ("edition", "tiers", number)
        members = [((*location, "requirements", index), each) for index, each in enumerate(tier.requirements)]
        yield from _find_group_errors(location, tier.groups, members)


def _find_group_errors(
    location: Location, groups: Sequence[RequirementGroup], requirements: Sequence[Place]
) -> Iterator[Inconsistency]:
    """Yield violations of the rule that groups exist and have enough members."""
    keys = [group.key for group in groups]
    yield from _find_repeated(((*location, "groups", number, "key"), key) for number, key in enumerate(keys))
    places = (((*place, "group"), requirement.group) for place, requirement in requirements if requirement.group)
    yield from _find_unknown("group", places, keys)
    for number, group in enumerate(groups):
        members = sum(requirement.group == group.key for _, requirement in requirements)
        # Such a group would block every integration.
        if members < group.minimum:
            problem = f"The group requires {group.minimum} requirements but has {members}."
            yield Inconsistency((*location, "groups", number), problem, "Add requirements to the group or remove it.")


def _find_tier_errors(edition: Edition) -> Iterator[Inconsistency]:
    granted_count = sum(tier.granted_at_release for tier in edition.tiers)
    # A listing has one tier from the moment of its release.
    if granted_count != 1:
        problem = f"Number of tiers granted at release: {granted_count}."
        yield Inconsistency(("edition", "tiers"), problem, "Set granted_at_release for exactly one tier.")


def _find_requirement_errors(location: Location, requirement: Requirement, edition: Edition) -> Iterator[Inconsistency]:
    kind = KINDS[requirement.kind]
    if kind.required_key and not getattr(requirement, kind.required_key):
        problem = f"A requirement of kind {requirement.kind} must have {kind.required_key!r}."
        yield Inconsistency(location, problem, f"Add {kind.required_key!r}.")
    if kind.party and requirement.responsible_party != kind.party:
        problem = f"The responsible party of a requirement of kind {requirement.kind} must be {kind.party}."
        yield Inconsistency((*location, "responsible_party"), problem, f"Write {kind.party}.")
    if not requirement.reason:
        yield Inconsistency(location, "The requirement has no reason.", 'Add a "reason".')
    places = (((*location, "categories", index), key) for index, key in enumerate(requirement.categories))
    yield from _find_unknown("category", places, [category.key for category in edition.categories])
    for number, field in enumerate(requirement.fields):
        yield from _find_field_errors((*location, "fields", number), field)
    yield from _find_hint_errors(location, requirement, edition)
    yield from _find_subject_errors(location, requirement, edition)


def _find_field_errors(location: Location, field: Question) -> Iterator[Inconsistency]:
    if bool(field.options) != (field.type in CHOICE_TYPES):
        problem = "Only fields of the types choice and choices have options."
        yield Inconsistency((*location, "options"), problem, "Add or remove the options, or change the type.")
    # The error of the field quotes the help. The pattern alone says nothing to a partner.
    if field.pattern and not field.help:
        yield Inconsistency((*location, "pattern"), "A pattern requires help.", 'Add an example in "help".')
    if field.key in START_FORM_FIELDS:
        problem = f"The draft form already has the field {field.key!r}."
        yield Inconsistency((*location, "key"), problem, "Remove the field, or use another key.")


def _find_hint_errors(location: Location, requirement: Requirement, edition: Edition) -> Iterator[Inconsistency]:
    ids = list(dict.fromkeys(each.id for each in edition.list_all_requirements()))
    for item, id in requirement.meeting_hints:
        place = (*location, "meeting_hints", item)
        if item not in requirement.meeting_items:
            yield Inconsistency(place, f"{item!r} is not an item of the meeting.", "Use the text of an item.")
        yield from _find_unknown("requirement", [(place, id)], ids)


def _find_subject_errors(location: Location, requirement: Requirement, edition: Edition) -> Iterator[Inconsistency]:
    """Yield violations of the rule that what a statement is about is required before it."""
    if requirement.kind != RequirementKind.ATTESTATION:
        if requirement.confirms or requirement.after_findings:
            problem = "Only attestations can have confirms or after_findings."
            yield Inconsistency(location, problem, "Remove the key, or change the kind.")
        return
    ids = [each.id for each in edition.list_all_requirements()]
    earlier_ids = ids[: ids.index(requirement.id)]
    deadline = edition.get_deadline(requirement)
    for index, id in enumerate(requirement.confirms):
        place = (*location, "confirms", index)
        subject = edition.get_requirement(id)
        if subject is None:
            yield Inconsistency(place, f"Unknown requirement {id!r}.", _suggest(id, ids))
        # The statement would block a step before what it is about can be completed.
        elif id not in earlier_ids or edition.get_deadline(subject) > deadline:
            yield Inconsistency(place, f"{id!r} is due after the statement.", "Use an earlier requirement.")
        # A required statement about something that a partner can leave out could never be confirmed.
        elif (subject.optional or subject.group) and not requirement.optional:
            yield Inconsistency(place, f"{id!r} is optional.", "Use a required one, or make the statement optional.")


def _find_agreement_errors(edition: Edition) -> Iterator[Inconsistency]:
    for location, requirement in _list_requirements(edition):
        if requirement.agreement and requirement.agreement not in edition.agreements:
            problem = f"The edition doesn't name the agreement {requirement.agreement!r}."
            yield Inconsistency((*location, "agreement"), problem, 'Add it to "agreements".')


def _find_offering_errors(edition: Edition) -> Iterator[Inconsistency]:
    places = ((("edition", "offering_descriptions", name), name) for name, _ in edition.offering_descriptions)
    yield from _find_unknown("offering", places, edition.offerings)


def _find_license_errors(edition: Edition) -> Iterator[Inconsistency]:
    both = sorted(edition.licenses.allow & edition.licenses.manual_review)
    if both:
        problem = f"Licenses that are both allowed and under manual review: {', '.join(both)}."
        yield Inconsistency(("edition", "licenses", "rules"), problem, "Remove them from one of the two lists.")
    if _has_check(edition, LICENSE_CHECK) != bool(edition.licenses.rules):
        problem = f"License rules require the check {LICENSE_CHECK!r}, and the check requires license rules."
        yield Inconsistency(("edition", "licenses"), problem, "Add or remove the rules or the check.")


def _find_repository_errors(file: EditionFile) -> Iterator[Inconsistency]:
    profile = file.program
    if _has_check(file.edition, REPOSITORY_NAME_CHECK) and not (
        profile.repository_pattern and profile.repository_hint and profile.needs_repository
    ):
        problem = f"The check {REPOSITORY_NAME_CHECK!r} requires a repository pattern and a hint."
        yield Inconsistency(("program",), problem, "Add repository_pattern and repository_hint.")


def _has_check(edition: Edition, key: str) -> bool:
    return any(key in requirement.checks for requirement in edition.list_requirements())


def _find_unknown(
    kind: str, places: Iterable[tuple[Location, str]], known_keys: Sequence[str]
) -> Iterator[Inconsistency]:
    """Yield the references to things of a kind that do not exist."""
    for location, key in places:
        if key not in known_keys:
            yield Inconsistency(location, f"Unknown {kind} {key!r}.", _suggest(key, known_keys))


def _suggest(key: str, known_keys: Sequence[str]) -> str:
    """Return the advice for an unknown key: the nearest known key, or all of them."""
    if advice := suggest(key, known_keys):
        return advice
    return f"Use one of {', '.join(map(repr, known_keys))}." if known_keys else "Remove the key."
