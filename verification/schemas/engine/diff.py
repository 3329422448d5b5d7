"""Comparison of two schemas: what a new version of a provider breaks for its users.

A change breaks if a configuration that was right before is refused, plans something else, or reads what is gone.
Renames are guesses and say so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from verification.schemas.engine.functions import compare_functions
from verification.schemas.engine.types import Node, ParsedSchema, Resource

MIN_NAME_SIMILARITY = 0.6  # of letters, from which on a name is taken for the new one of another
MIN_SHARED_ARGUMENTS = 0.8  # of arguments that two resources share, from which on one is taken for the other renamed
SCHEMA_KINDS = (
    ("resource", "resources"), ("data source", "data_sources"), ("ephemeral resource", "ephemeral"),
    ("list resource", "lists"), ("action", "actions"), ("identity of", "identities"),
)  # fmt: skip
BREAKING_CHANGES = frozenset(
    {"removed", "renamed", "type_changed", "nesting_changed", "block_to_attribute", "attribute_to_block"}
    | {"newly_required", "required_added", "computed_removed", "read_only", "sensitive_added", "fewer_allowed"}
    | {"more_needed", "write_only", "state_lowered", "parameters_changed", "parameter_type_changed"}
)
ADDITIVE_CHANGES = frozenset({"added", "optional_added", "computed_added", "now_settable"})


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference. `of` is "resource acme_server", "provider" or "functions"; `path` the dotted argument, or ""."""

    what: str
    of: str
    path: str
    sentence: str
    before: str = ""
    after: str = ""

    @property
    def breaks(self) -> bool:
        return self.what in BREAKING_CHANGES

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("what", "of", "path", "sentence", "before", "after", "breaks")}


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """All changes, in the order of what they are of; those of a resource that is new or gone are one change."""

    changes: tuple[SchemaChange, ...] = field(default_factory=tuple)

    @property
    def breaking(self) -> tuple[SchemaChange, ...]:
        return tuple(change for change in self.changes if change.breaks)

    @property
    def others(self) -> tuple[SchemaChange, ...]:
        return tuple(change for change in self.changes if not change.breaks)

    @property
    def adds(self) -> bool:
        return any(
            change.what in ("added", "optional_added", "computed_added", "now_settable") for change in self.changes
        )


def compare_schemas(old: ParsedSchema, new: ParsedSchema) -> SchemaDifference:
    """What has changed from the old schema to the new one."""
    changes = list(_compare_arguments("provider", old.provider.nodes, new.provider.nodes))
    for word, attribute in SCHEMA_KINDS:
        changes += _compare_kind(word, getattr(old, attribute), getattr(new, attribute))
    for change_type, name, sentence in compare_functions(old.functions, new.functions):
        changes.append(SchemaChange(change_type, "functions", name, sentence))
    return SchemaDifference(tuple(changes))


def _compare_kind(word: str, old: Mapping[str, Resource], new: Mapping[str, Resource]) -> Iterator[SchemaChange]:
    removed_names, new_names = [name for name in old if name not in new], [name for name in new if name not in old]
    new_name_by_old = _match_renamed_resources(old, new, removed_names, new_names)
    for name in sorted({*old, *new} - set(new_name_by_old.values())):
        subject = f"{word} {name}"
        if name in new_name_by_old:
            text = f"The {subject} is gone; it looks as if it were now {new_name_by_old[name]}."
            yield SchemaChange("renamed", subject, "", text, name, new_name_by_old[name])
        elif name not in new:
            yield SchemaChange("removed", subject, "", f"The {subject} is gone.")
        elif name not in old:
            yield SchemaChange("added", subject, "", f"The {subject} is new.")
        else:
            yield from _compare_arguments(subject, old[name].nodes, new[name].nodes)
            if word == "resource" and new[name].version < old[name].version:
                text = f"The {subject} keeps its state in an older form: what the old version has written is refused."
                yield SchemaChange("state_lowered", subject, "", text, str(old[name].version), str(new[name].version))
            if new[name].deprecated and not old[name].deprecated:
                yield SchemaChange("deprecated", subject, "", f"The {subject} is now deprecated.")


def _match_renamed_resources(
    old: Mapping[str, Resource], new: Mapping[str, Resource], removed_names: list[str], new_names: list[str]
) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name in removed_names:
        mine = {node.name for node in old[name].nodes}
        for other in new_names:
            theirs = {node.name for node in new[other].nodes}
            is_like = _calculate_similarity(name, other) >= MIN_NAME_SIMILARITY and len(
                mine & theirs
            ) >= MIN_SHARED_ARGUMENTS * len(mine | theirs)
            if is_like and other not in pairs.values():
                pairs[name] = other
                break
    return pairs


def _calculate_similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _compare_arguments(
    subject: str, old: tuple[Node, ...], new: tuple[Node, ...], path: str = ""
) -> Iterator[SchemaChange]:
    before, after = {node.name: node for node in old}, {node.name: node for node in new}
    new_name_by_old = _match_renamed_arguments(before, after)
    for name in sorted({*before, *after} - set(new_name_by_old.values())):
        here = f"{path}.{name}" if path else name
        if name in new_name_by_old:
            now = f"{path}.{new_name_by_old[name]}" if path else new_name_by_old[name]
            yield SchemaChange(
                "renamed", subject, here, f"{here} is gone; it looks as if it were now {now}.", here, now
            )
        elif name not in after:
            yield SchemaChange("removed", subject, here, f"{here} is gone.")
        elif name not in before:
            yield _describe_addition(subject, here, after[name])
        else:
            yield from _compare_argument(subject, here, before[name], after[name])


def _match_renamed_arguments(before: Mapping[str, Node], after: Mapping[str, Node]) -> dict[str, str]:
    """Guesses: what is gone, by what is new, of the same type and of nearly the same name."""
    pairs: dict[str, str] = {}
    new_nodes = [node for name, node in after.items() if name not in before]
    for name, node in before.items():
        if name in after:
            continue
        candidates = [other for other in new_nodes if other.name not in pairs.values() and _has_same_shape(node, other)]
        best = max(candidates, key=lambda other: _calculate_similarity(name, other.name), default=None)
        if best is not None and _calculate_similarity(name, best.name) >= MIN_NAME_SIMILARITY:
            pairs[name] = best.name
    return pairs


def _has_same_shape(one: Node, other: Node) -> bool:
    return (one.type_name, one.is_observed) == (other.type_name, other.is_observed)


def _describe_addition(subject: str, here: str, node: Node) -> SchemaChange:
    if node.required:
        return SchemaChange("required_added", subject, here, f"{here} is new and must be given.")
    if node.is_observed:
        return SchemaChange("computed_added", subject, here, f"{here} is new and can be read.")
    return SchemaChange("optional_added", subject, here, f"{here} is new and may be given.")


def _compare_argument(subject: str, here: str, old: Node, new: Node) -> Iterator[SchemaChange]:
    shape = _compare_shape(subject, here, old, new)
    if shape is not None:
        yield shape
        return
    for change_type, test, sentence in ARGUMENT_RULES:
        # older frameworks told of every id that it can be set, though nobody could
        if test(old, new) and not (here == "id" and change_type in ("read_only", "now_settable")):
            yield SchemaChange(
                change_type, subject, here, sentence.format(here=here), *_format_numbers(change_type, old, new)
            )
    yield from _compare_arguments(subject, _get_members(old), _get_members(new), here)


def _get_members(node: Node) -> tuple[Node, ...]:
    """What the objects in it are made of, also where lists stand in lists."""
    while node.children is None and node.elem is not None:
        node = node.elem
    return node.children or ()


def _compare_shape(subject: str, here: str, old: Node, new: Node) -> SchemaChange | None:
    """Another syntax, nesting or type: what is inside is then not compared."""
    was_block, is_block = old.syntax == "block", new.syntax == "block"
    if was_block != is_block:
        change_type = "block_to_attribute" if was_block else "attribute_to_block"
        words = ("a block", "an attribute") if was_block else ("an attribute", "a block")
        return SchemaChange(change_type, subject, here, f"{here} was {words[0]} and is now {words[1]}.", *words)
    if old.type_name == new.type_name:
        return None
    change_type = "nesting_changed" if old.children is not None and new.children is not None else "type_changed"
    text = f"{here} was {old.type_name} and is now {new.type_name}."
    return SchemaChange(change_type, subject, here, text, old.type_name, new.type_name)


def _format_numbers(change_type: str, old: Node, new: Node) -> tuple[str, str]:
    numbers = {"fewer_allowed": (old.max_items, new.max_items), "more_needed": (old.min_items, new.min_items)}
    before, after = numbers.get(change_type, (0, 0))
    return (str(before or "any number"), str(after)) if change_type in numbers else ("", "")


ARGUMENT_RULES = (
    ("newly_required", lambda old, new: new.required and not old.required, "{here} must now be given."),
    ("read_only", lambda old, new: new.is_observed and not old.is_observed, "{here} can no longer be set."),
    ("computed_removed", lambda old, new: new.syntax != "block" and old.computed and not (new.computed or new.required),
     "{here} is no longer filled in by the provider: without a value it is now empty."),
    ("sensitive_added", lambda old, new: new.sensitive and not old.sensitive,
     "{here} is now sensitive: outputs that show it are refused until they are marked so."),
    ("write_only", lambda old, new: new.write_only and not old.write_only,
     "{here} can now only be written: nothing can read it any more."),
    ("fewer_allowed", lambda old, new: new.max_items > 0 and not 0 < old.max_items <= new.max_items,
     "{here} may now be given less often."),
    ("more_needed", lambda old, new: new.min_items > old.min_items and old.syntax == new.syntax and not
     (new.required and not old.required), "{here} must now be given more often."),
    ("no_longer_required", lambda old, new: old.required and not new.required and not new.is_observed,
     "{here} need no longer be given."),
    ("deprecated", lambda old, new: new.deprecated and not old.deprecated, "{here} is now deprecated."),
    ("sensitive_removed", lambda old, new: old.sensitive and not new.sensitive, "{here} is no longer sensitive."),
    ("now_settable", lambda old, new: old.is_observed and new.optional, "{here} can now be set."),
    ("now_computed", lambda old, new: new.syntax != "block" and new.optional and new.computed and not old.computed,
     "{here} is now filled in by the provider where it is not set."),
    ("more_allowed", lambda old, new: old.max_items > 0 and not 0 < new.max_items <= old.max_items,
     "{here} may now be given more often."),
    ("fewer_needed", lambda old, new: new.required and new.min_items < old.min_items,
     "{here} need no longer be given so often."),
    ("no_longer_write_only", lambda old, new: old.write_only and not new.write_only, "{here} can now be read."),
    ("no_longer_deprecated", lambda old, new: old.deprecated and not new.deprecated, "{here} is no longer deprecated."),
)  # fmt: skip
