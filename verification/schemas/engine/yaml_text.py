"""YAML input from people, and deterministic output of JSON values.

The output has keys in alphabetical order, and ambiguous text in double quotes.
"""

import re

import yaml

from portal.core.content_files import load_yaml
from portal.core.json_text import clean_json

# Text that needs no quotes. It starts with a letter, because YAML reads digits and signs as numbers or markup.
PLAIN_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_.()/-]*( [A-Za-z0-9_.()/-]+)*")
RESERVED_WORDS = frozenset(["true", "false", "yes", "no", "on", "off", "null", "y", "n"])
UNLIMITED_WIDTH = 2**31 - 1
MAX_DEPTH = 50  # libyaml ends the process at about 50,000 levels


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        """Write shared values in full."""
        return True


def _represent_text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = PLAIN_PATTERN.fullmatch(text) and text.lower() not in RESERVED_WORDS
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _represent_text)


def dump(data: object) -> str:
    """Render data as a YAML document with a start marker."""
    text: str = yaml.dump(data, Dumper=_Dumper, explicit_start=True, default_flow_style=False, width=UNLIMITED_WIDTH)
    return text.removesuffix("...\n")


def parse(text: str) -> object:
    """Parse one document as JSON data.

    Raises:
        yaml.YAMLError: Not YAML, or a key is repeated.
        TypeError, ValueError: It has aliases, which can multiply its size, tags, too many levels, or values unlike
            JSON.
    """
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        # PyYAML raises KeyError and IndexError if a value doesn't fit its tag
        if depth > MAX_DEPTH or isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None):
            raise ValueError("too many levels, an alias, or a tag")
    return clean_json(load_yaml(text))
