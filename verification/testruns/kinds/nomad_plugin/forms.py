"""Form for a Nomad plugin test."""

import json
from typing import NoReturn

import msgpack
from django import forms
from django.utils.translation import gettext_lazy as _

from portal.core.form_fields import CodeField, SingleLineField
from portal.core.value_types import JsonObject
from verification.testruns.forms import VersionField, build_validator


def parse_config(text: str) -> JsonObject:
    """Parse a configuration in JSON. Blank text is an empty configuration.

    Raises:
        ValueError: The message says what to enter.
    """
    try:
        config = json.loads(text, parse_constant=_reject_constant) if text.strip() else {}
        # A plugin receives its configuration as MessagePack, which can't encode everything that JSON can.
        msgpack.packb(config)
    except json.JSONDecodeError as error:
        raise ValueError(f"Enter valid JSON. Error in line {error.lineno}, column {error.colno}.") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise ValueError("Remove the value that can't be encoded from the configuration.") from error
    if not isinstance(config, dict):
        raise ValueError('Enter a JSON object. For example, {"address": "127.0.0.1:9999"}.')
    return config


def _reject_constant(word: str) -> NoReturn:
    raise ValueError(word)


class NomadPluginTestForm(forms.Form):
    """Fields of one test: version, name, and configuration."""

    version = VersionField(help_text=_("The version of a release on GitHub. For example, 1.4.0."))
    name = SingleLineField(
        label=_("Name"),
        max_length=100,
        required=False,
        help_text=_("The name of the driver or device in a job. Leave blank to accept any name."),
    )
    config = CodeField(
        rows=6,
        validators=[build_validator(parse_config)],
        label=_("Configuration"),
        required=False,
        help_text=_("The JSON object that Nomad's agent passes. Don't enter credentials: the sandbox has no network."),
    )
