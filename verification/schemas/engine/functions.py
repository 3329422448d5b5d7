"""Provider functions and the comparison of two versions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """Positional parameter of a function. `kind` is a Terraform type expression."""

    name: str
    kind: str
    takes_null: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """Provider function. `variadic` is the last parameter, which callers can repeat."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...] = ()
    variadic: Parameter | None = None
    deprecation: str = ""

    @property
    def signature(self) -> str:
        """Signature, such as "(string, number…) list(string)"."""
        kinds = [parameter.kind for parameter in self.parameters] + (
            [f"{self.variadic.kind}…"] if self.variadic else []
        )
        return f"({', '.join(kinds)}) {self.returns}"


def format_type(type_expression: object) -> str:
    """Format a type expression: ["list", "string"] becomes "list(string)"."""
    # Providers can send anything here, so a malformed type must not raise an error.
    if not isinstance(type_expression, list) or len(type_expression) < 2:
        return str(type_expression)
    kind = type_expression[0]
    inner = type_expression[1]
    if isinstance(inner, dict):
        inner = ", ".join(f"{name} = {format_type(element)}" for name, element in sorted(inner.items()))
        return f"{kind}({{{inner}}})"
    if kind == "tuple" and isinstance(inner, list):
        return f"tuple([{', '.join(format_type(element) for element in inner)}])"
    return f"{kind}({format_type(inner)})"


def compare_function(old: Function, new: Function) -> Iterator[tuple[str, str]]:
    """Yield the type and the summary of each change of a function."""
    name = old.name
    # Arguments of functions are positional, so even an additional one makes every call invalid.
    if len(old.parameters) != len(new.parameters) or (old.variadic and not new.variadic):
        yield "parameters_changed", f"The function {name} changed from {old.signature} to {new.signature}."
    else:
        yield from _compare_parameters(old, new)
        if new.variadic and not old.variadic:
            yield "optional_added", f"The function {name} now accepts additional arguments of type {new.variadic.kind}."
    if old.returns != new.returns:
        yield "type_changed", f"The function {name} returned {old.returns} and now returns {new.returns}."
    if new.deprecation and not old.deprecation:
        yield "deprecated", f"The function {name} is now deprecated: {new.deprecation}"


def _compare_parameters(old: Function, new: Function) -> Iterator[tuple[str, str]]:
    pairs = list(zip(old.parameters, new.parameters, strict=True))
    if old.variadic and new.variadic:
        pairs.append((old.variadic, new.variadic))
    for number, (before, after) in enumerate(pairs, 1):
        location = f"Parameter {number} ({after.name}) of the function {old.name}"
        # A new name alone changes nothing, because calls don't contain it.
        if before.kind != after.kind:
            yield "parameter_type_changed", f"{location} was {before.kind} and is now {after.kind}."
        if before.takes_null and not after.takes_null:
            yield "parameter_type_changed", f"{location} can no longer be null."


def compare_functions(old: Mapping[str, Function], new: Mapping[str, Function]) -> Iterator[tuple[str, str, str]]:
    """Yield the type, the function name, and the summary of each change, ordered by name."""
    for name in sorted({*old, *new}):
        if name not in new:
            yield "removed", name, f"The function {name} was removed."
        elif name not in old:
            yield "added", name, f"The function {name} is new."
        else:
            yield from ((what, name, summary) for what, summary in compare_function(old[name], new[name]))
