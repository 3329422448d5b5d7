"""What does a new version of a provider break for those who use the old one? Two schemas against each other.

A change breaks if a configuration that was right before is refused, plans something else, or reads what is gone.
Renames are guesses and say so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from verification.schemas.engine.functions import all_changes
from verification.schemas.engine.types import Node, ProviderSchema, Resource

ALIKE = 0.6  # of letters, from which on a name is taken for the new one of another
SAME_FIELDS = 0.8  # of arguments that two resources share, from which on one is taken for the other renamed
KINDS = (
    ("resource", "resources"), ("data source", "data_sources"), ("ephemeral resource", "ephemeral"),
    ("list resource", "lists"), ("action", "actions"), ("identity of", "identities"),
)  # fmt: skip
BREAKS = frozenset(
    {"removed", "renamed", "type_changed", "nesting_changed", "block_to_attribute", "attribute_to_block"}
    | {"newly_required", "required_added", "computed_removed", "read_only", "sensitive_added", "fewer_allowed"}
    | {"more_needed", "write_only", "state_lowered", "parameters_changed", "parameter_type_changed"}
)
ADDS = frozenset({"added", "optional_added", "computed_added", "now_settable"})


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `of` is "resource acme_server", "provider" or "functions"; `path` the dotted argument, or ""."""

    what: str
    of: str
    path: str
    sentence: str
    before: str = ""
    after: str = ""

    @property
    def breaks(self) -> bool:
        return self.what in BREAKS

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("what", "of", "path", "sentence", "before", "after", "breaks")}


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, in the order of what they are of; those of a resource that is new or gone are one change."""

    changes: tuple[Change, ...] = field(default_factory=tuple)

    @property
    def breaking(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.breaks)

    @property
    def others(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if not change.breaks)

    @property
    def adds(self) -> bool:
        return any(
            change.what in ("added", "optional_added", "computed_added", "now_settable") for change in self.changes
        )


def difference(old: ProviderSchema, new: ProviderSchema) -> Difference:
    """What has changed from the old schema to the new one."""
    changes = list(_arguments("provider", old.provider.nodes, new.provider.nodes))
    for word, attribute in KINDS:
        changes += _kinds(word, getattr(old, attribute), getattr(new, attribute))
    for what, name, sentence in all_changes(old.functions, new.functions):
        changes.append(Change(what, "functions", name, sentence))
    return Difference(tuple(changes))


def _kinds(word: str, old: Mapping[str, Resource], new: Mapping[str, Resource]) -> Iterator[Change]:
    gone, come = [name for name in old if name not in new], [name for name in new if name not in old]
    renamed = _resources_renamed(old, new, gone, come)
    for name in sorted({*old, *new} - set(renamed.values())):
        of = f"{word} {name}"
        if name in renamed:
            text = f"The {of} is gone; it looks as if it were now {renamed[name]}."
            yield Change("renamed", of, "", text, name, renamed[name])
        elif name not in new:
            yield Change("removed", of, "", f"The {of} is gone.")
        elif name not in old:
            yield Change("added", of, "", f"The {of} is new.")
        else:
            yield from _arguments(of, old[name].nodes, new[name].nodes)
            if word == "resource" and new[name].version < old[name].version:
                text = f"The {of} keeps its state in an older form: what the old version has written is refused."
                yield Change("state_lowered", of, "", text, str(old[name].version), str(new[name].version))
            if new[name].deprecated and not old[name].deprecated:
                yield Change("deprecated", of, "", f"The {of} is now deprecated.")


def _resources_renamed(
    old: Mapping[str, Resource], new: Mapping[str, Resource], gone: list[str], come: list[str]
) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name in gone:
        mine = {node.name for node in old[name].nodes}
        for other in come:
            theirs = {node.name for node in new[other].nodes}
            is_like = _likeness(name, other) >= ALIKE and len(mine & theirs) >= SAME_FIELDS * len(mine | theirs)
            if is_like and other not in pairs.values():
                pairs[name] = other
                break
    return pairs


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _arguments(of: str, old: tuple[Node, ...], new: tuple[Node, ...], path: str = "") -> Iterator[Change]:
    before, after = {node.name: node for node in old}, {node.name: node for node in new}
    renamed = _renamed(before, after)
    for name in sorted({*before, *after} - set(renamed.values())):
        here = f"{path}.{name}" if path else name
        if name in renamed:
            now = f"{path}.{renamed[name]}" if path else renamed[name]
            yield Change("renamed", of, here, f"{here} is gone; it looks as if it were now {now}.", here, now)
        elif name not in after:
            yield Change("removed", of, here, f"{here} is gone.")
        elif name not in before:
            yield _added(of, here, after[name])
        else:
            yield from _changed(of, here, before[name], after[name])


def _renamed(before: Mapping[str, Node], after: Mapping[str, Node]) -> dict[str, str]:
    """Guesses: what is gone, by what is new, of the same type and of nearly the same name."""
    pairs: dict[str, str] = {}
    come = [node for name, node in after.items() if name not in before]
    for name, node in before.items():
        if name in after:
            continue
        alike = [other for other in come if other.name not in pairs.values() and _same_shape(node, other)]
        best = max(alike, key=lambda other: _likeness(name, other.name), default=None)
        if best is not None and _likeness(name, best.name) >= ALIKE:
            pairs[name] = best.name
    return pairs


def _same_shape(one: Node, other: Node) -> bool:
    return (one.type_name, one.is_observed) == (other.type_name, other.is_observed)


def _added(of: str, here: str, node: Node) -> Change:
    if node.required:
        return Change("required_added", of, here, f"{here} is new and must be given.")
    if node.is_observed:
        return Change("computed_added", of, here, f"{here} is new and can be read.")
    return Change("optional_added", of, here, f"{here} is new and may be given.")


def _changed(of: str, here: str, old: Node, new: Node) -> Iterator[Change]:
    shape = _shape(of, here, old, new)
    if shape is not None:
        yield shape
        return
    for what, test, sentence in TABLE:
        # older frameworks told of every id that it can be set, though nobody could
        if test(old, new) and not (here == "id" and what in ("read_only", "now_settable")):
            yield Change(what, of, here, sentence.format(here=here), *_numbers(what, old, new))
    yield from _arguments(of, _members(old), _members(new), here)


def _members(node: Node) -> tuple[Node, ...]:
    """What the objects in it are made of, also where lists stand in lists."""
    while node.children is None and node.elem is not None:
        node = node.elem
    return node.children or ()


def _shape(of: str, here: str, old: Node, new: Node) -> Change | None:
    """Another syntax, nesting or type: what is inside is then not compared."""
    was_block, is_block = old.syntax == "block", new.syntax == "block"
    if was_block != is_block:
        what = "block_to_attribute" if was_block else "attribute_to_block"
        words = ("a block", "an attribute") if was_block else ("an attribute", "a block")
        return Change(what, of, here, f"{here} was {words[0]} and is now {words[1]}.", *words)
    if old.type_name == new.type_name:
        return None
    what = "nesting_changed" if old.children is not None and new.children is not None else "type_changed"
    text = f"{here} was {old.type_name} and is now {new.type_name}."
    return Change(what, of, here, text, old.type_name, new.type_name)


def _numbers(what: str, old: Node, new: Node) -> tuple[str, str]:
    numbers = {"fewer_allowed": (old.max_items, new.max_items), "more_needed": (old.min_items, new.min_items)}
    before, after = numbers.get(what, (0, 0))
    return (str(before or "any number"), str(after)) if what in numbers else ("", "")


TABLE = (
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
