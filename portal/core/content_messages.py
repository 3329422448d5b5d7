"""Translatable messages in YAML content files.

A content file lists the keys of its translatable texts under `translatable`. A page translates a text when it renders
the text, as with gettext_noop.
"""

from collections.abc import Iterator

import yaml

from portal.core.content_files import TRANSLATABLE


def list_messages(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each message in a YAML document, in the order of the document."""
    # Only a document that names translatable keys is worth parsing with positions.
    if f"\n{TRANSLATABLE}:" not in f"\n{source}":
        return
    root = yaml.compose(source, Loader=yaml.CSafeLoader)
    if isinstance(root, yaml.MappingNode):
        names = next(value for key, value in root.value if key.value == TRANSLATABLE)
        yield from _list_values(root, {name.value for name in names.value})


def format_as_python(source: str) -> str:
    """Return Python code that marks each message on the line where the YAML document has it, for xgettext."""
    lines = [""] * source.count("\n")
    for number, text in list_messages(source):
        lines[number - 1] += f"gettext_noop({text!r});"
    return "\n".join(lines) + "\n"


def _list_values(node: yaml.Node, names: set[str]) -> Iterator[tuple[int, str]]:
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _list_values(child, names)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value in names and isinstance(value, yaml.ScalarNode):
                yield value.start_mark.line + 1, value.value
            else:
                yield from _list_values(value, names)
