"""Translatable messages in YAML content files.

A content file lists the keys of its translatable texts under `translatable`. A list of two texts is a singular with its
plural. A page translates a text when it renders the text, as with gettext_noop.
"""

from collections.abc import Iterator

import yaml

from portal.core.content_files import TRANSLATABLE


def list_messages(source: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the line and the text of each message in a YAML document, with its plural, in the order of the document."""
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
    for number, texts in list_messages(source):
        lines[number - 1] += f"gettext_noop({texts[0]!r});" if len(texts) == 1 else f"ngettext{(*texts, 0)!r};"
    return "\n".join(lines) + "\n"


def _list_values(node: yaml.Node, names: set[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _list_values(child, names)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            texts = value.value if isinstance(value, yaml.SequenceNode) else [value]
            if key.value in names and texts and all(isinstance(text, yaml.ScalarNode) for text in texts):
                yield value.start_mark.line + 1, tuple(text.value for text in texts)
            else:
                yield from _list_values(value, names)
