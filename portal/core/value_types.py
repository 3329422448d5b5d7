"""Names of dictionaries whose values have many types."""

from typing import Any, TypeAlias

# A JSON object as it was received or is sent. Nothing is known of a received one until code checks it.
JsonObject: TypeAlias = dict[str, Any]
# What a template gets.
TemplateContext: TypeAlias = dict[str, Any]
# Arguments of a call, columns of a row, or fields of a form, by name.
NamedValues: TypeAlias = dict[str, Any]
