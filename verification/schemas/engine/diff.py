"""Comparison of two schemas and classification of breaking changes.

A change is breaking if an existing configuration becomes invalid, plans other changes, or reads a removed value.
Renames are guesses and marked as such.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

from portal.core.content_files import Content, load_content
from verification.schemas.engine.functions import compare_functions
from verification.schemas.engine.types import Node, ParsedSchema, Resource

Item = TypeVar("Item")
MIN_NAME_SIMILARITY = 0.6  # minimum similarity of two names to report a rename
MIN_SHARED_ARGUMENTS = 0.8  # minimum share of common arguments to report a renamed resource
MAX_RENAME_PAIRS = 100_000  # pairs of names that one comparison of schemas looks at, which takes a few seconds
SCHEMA_KINDS = (
    ("resource", "resources"),
    ("data source", "data_sources"),
    ("ephemeral resource", "ephemeral"),
    ("list resource", "lists"),
    ("action", "actions"),
    ("identity of", "identities"),
)


class ChangeType(Content):
    """Whether changes of this type are breaking or additions. `summary`: that of an argument, blank if it varies."""

    breaks: bool = False
    adds: bool = False
    summary: str = ""


CHANGE_TYPES = load_content(Path(__file__).parent.parent / "data" / "changes.yaml", dict[str, ChangeType])


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """Change in a schema.

    `subject` is "resource acme_server", "provider", or "functions"; `path` is a dotted path or "".
    """

    change_type: str
    subject: str
    path: str
    summary: str
    before: str = ""
    after: str = ""

    @property
    def breaks(self) -> bool:
        return CHANGE_TYPES[self.change_type].breaks

    def as_data(self) -> dict[str, object]:
        return asdict(self) | {"breaks": self.breaks}


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """All changes in the order of their subjects. An added or removed resource is one change."""

    changes: tuple[SchemaChange, ...] = ()

    @property
    def breaking(self) -> tuple[SchemaChange, ...]:
        return tuple(change for change in self.changes if change.breaks)

    @property
    def others(self) -> tuple[SchemaChange, ...]:
        return tuple(change for change in self.changes if not change.breaks)

    @property
    def adds(self) -> bool:
        return any(CHANGE_TYPES[change.change_type].adds for change in self.changes)


@dataclass(slots=True)
class RenameLimit:
    """Limit of the pairs of names to compare, because schemas can have any number of different names."""

    remaining_pairs: int = MAX_RENAME_PAIRS

    def allows(self, removed_count: int, new_count: int) -> bool:
        """Return whether all pairs of these names can be compared, and count them."""
        pair_count = removed_count * new_count
        if pair_count > self.remaining_pairs:
            return False
        self.remaining_pairs -= pair_count
        return True


def compare_schemas(old: ParsedSchema, new: ParsedSchema) -> SchemaDifference:
    """Return the changes from the old schema to the new one."""
    limit = RenameLimit()
    changes = list(_compare_arguments("provider", old.provider.nodes, new.provider.nodes, limit))
    for word, attribute in SCHEMA_KINDS:
        changes += _compare_kind(word, getattr(old, attribute), getattr(new, attribute), limit)
    for change_type, name, summary in compare_functions(old.functions, new.functions):
        changes.append(SchemaChange(change_type, "functions", name, summary))
    return SchemaDifference(tuple(changes))


def _compare_kind(
    word: str, old: Mapping[str, Resource], new: Mapping[str, Resource], limit: RenameLimit
) -> Iterator[SchemaChange]:
    new_name_by_old = _match_renames(_list_names(old), _list_names(new), _has_same_arguments, limit)
    for name in sorted({*old, *new} - set(new_name_by_old.values())):
        subject = f"{word} {name}"
        if name in new_name_by_old:
            text = f"The {subject} was removed. It may have been renamed to {new_name_by_old[name]}."
            yield SchemaChange("renamed", subject, "", text, name, new_name_by_old[name])
        elif name not in new:
            yield SchemaChange("removed", subject, "", f"The {subject} was removed.")
        elif name not in old:
            yield SchemaChange("added", subject, "", f"The {subject} is new.")
        else:
            yield from _compare_arguments(subject, old[name].nodes, new[name].nodes, limit)
            # Terraform refuses a state that a newer schema version wrote.
            if word == "resource" and new[name].version < old[name].version:
                text = f"The {subject} has an older state version. It can't read the state of the previous version."
                yield SchemaChange("state_lowered", subject, "", text, str(old[name].version), str(new[name].version))
            if new[name].deprecated and not old[name].deprecated:
                yield SchemaChange("deprecated", subject, "", f"The {subject} is now deprecated.")


def _match_renames(
    old: Mapping[str, Item], new: Mapping[str, Item], is_alike: Callable[[Item, Item], bool], limit: RenameLimit
) -> dict[str, str]:
    """Return probable renames: removed and new items that are alike and have similar names."""
    pairs: dict[str, str] = {}
    removed_names = [name for name in old if name not in new]
    new_names = [name for name in new if name not in old]
    # Without guesses, the same changes are reported as removed and added.
    if not limit.allows(len(removed_names), len(new_names)):
        return pairs
    for name in removed_names:
        candidates = [other for other in new_names if is_alike(old[name], new[other])]
        best = max(candidates, key=lambda other: _calculate_similarity(name, other), default=None)
        if best is not None and _calculate_similarity(name, best) >= MIN_NAME_SIMILARITY:
            pairs[name] = best
            new_names.remove(best)
    return pairs


def _list_names(resources: Mapping[str, Resource]) -> dict[str, set[str]]:
    return {name: {node.name for node in resource.nodes} for name, resource in resources.items()}


def _has_same_arguments(old_names: set[str], new_names: set[str]) -> bool:
    return len(old_names & new_names) >= MIN_SHARED_ARGUMENTS * len(old_names | new_names)


def _has_same_shape(old: Node, new: Node) -> bool:
    return (old.type_name, old.is_observed) == (new.type_name, new.is_observed)


def _calculate_similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _compare_arguments(
    subject: str, old: tuple[Node, ...], new: tuple[Node, ...], limit: RenameLimit, path: str = ""
) -> Iterator[SchemaChange]:
    before = {node.name: node for node in old}
    after = {node.name: node for node in new}
    new_name_by_old = _match_renames(before, after, _has_same_shape, limit)
    for name in sorted({*before, *after} - set(new_name_by_old.values())):
        here = f"{path}.{name}" if path else name
        if name in new_name_by_old:
            now = f"{path}.{new_name_by_old[name]}" if path else new_name_by_old[name]
            yield SchemaChange(
                "renamed", subject, here, f"{here} was removed. It may have been renamed to {now}.", here, now
            )
        elif name not in after:
            yield SchemaChange("removed", subject, here, f"{here} was removed.")
        elif name not in before:
            node = after[name]
            kind = "required_added" if node.required else "computed_added" if node.is_observed else "optional_added"
            yield _build_change(kind, subject, here)
        else:
            yield from _compare_argument(subject, here, before[name], after[name], limit)


def _build_change(change_type: str, subject: str, here: str, before: str = "", after: str = "") -> SchemaChange:
    summary = CHANGE_TYPES[change_type].summary.format(here=here)
    return SchemaChange(change_type, subject, here, summary, before, after)


def _compare_argument(subject: str, here: str, old: Node, new: Node, limit: RenameLimit) -> Iterator[SchemaChange]:
    shape = _compare_shape(subject, here, old, new)
    if shape is not None:
        yield shape
        return
    for change_type, has_changed in ARGUMENT_RULES.items():
        # Older frameworks report every ID as settable, although it never was.
        if has_changed(old, new) and not (here == "id" and change_type in ("read_only", "now_settable")):
            yield _build_change(change_type, subject, here, *_format_numbers(change_type, old, new))
    yield from _compare_arguments(subject, _get_members(old), _get_members(new), limit, here)


def _get_members(node: Node) -> tuple[Node, ...]:
    """Return the members of the innermost objects, also in nested lists."""
    while node.children is None and node.elem is not None:
        node = node.elem
    return node.children or ()


def _compare_shape(subject: str, here: str, old: Node, new: Node) -> SchemaChange | None:
    """Return a change of syntax, nesting, or type. If there is one, the members are not compared."""
    was_block = old.syntax == "block"
    is_block = new.syntax == "block"
    if was_block != is_block:
        if was_block:
            return _build_change("block_to_attribute", subject, here, "a block", "an attribute")
        return _build_change("attribute_to_block", subject, here, "an attribute", "a block")
    if old.type_name == new.type_name:
        return None
    change_type = "nesting_changed" if old.children is not None and new.children is not None else "type_changed"
    text = f"{here} was {old.type_name} and is now {new.type_name}."
    return SchemaChange(change_type, subject, here, text, old.type_name, new.type_name)


def _format_numbers(change_type: str, old: Node, new: Node) -> tuple[str, str]:
    numbers = {"fewer_allowed": (old.max_items, new.max_items), "more_needed": (old.min_items, new.min_items)}
    before, after = numbers.get(change_type, (0, 0))
    return (str(before or "any number"), str(after)) if change_type in numbers else ("", "")


# In the order in which changes are reported. “Computed” isn't compared for blocks, whose flag is only derived (see
# parsing._parse_block).
ARGUMENT_RULES: dict[str, Callable[[Node, Node], bool]] = {
    "newly_required": lambda old, new: new.required and not old.required,
    "read_only": lambda old, new: new.is_observed and not old.is_observed,
    "computed_removed": lambda old, new: new.syntax != "block" and old.computed and not (new.computed or new.required),
    "sensitive_added": lambda old, new: new.sensitive and not old.sensitive,
    "write_only": lambda old, new: new.write_only and not old.write_only,
    "fewer_allowed": lambda old, new: new.max_items > 0 and not 0 < old.max_items <= new.max_items,
    "more_needed": lambda old, new: (
        new.min_items > old.min_items and old.syntax == new.syntax and not (new.required and not old.required)
    ),
    "no_longer_required": lambda old, new: old.required and not new.required and not new.is_observed,
    "deprecated": lambda old, new: new.deprecated and not old.deprecated,
    "sensitive_removed": lambda old, new: old.sensitive and not new.sensitive,
    "now_settable": lambda old, new: old.is_observed and new.optional,
    "now_computed": lambda old, new: new.syntax != "block" and new.optional and new.computed and not old.computed,
    "more_allowed": lambda old, new: old.max_items > 0 and not 0 < new.max_items <= old.max_items,
    "fewer_needed": lambda old, new: new.required and new.min_items < old.min_items,
    "no_longer_write_only": lambda old, new: old.write_only and not new.write_only,
    "no_longer_deprecated": lambda old, new: old.deprecated and not new.deprecated,
}
