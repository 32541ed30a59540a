"""Writes ``docs/api.md`` from the docstrings of the Python package.

``python docs/api_page.py`` writes the page, ``python docs/api_page.py --check`` compares it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"
HEAD = """# Python

`make fmt` writes this page from the docstrings. [Options](options.md) says what each keyword
of `read_variant` and `write_variant` means.
"""
#: What the names in the signatures mean that the package does not export.
TYPES = {
    "OptionValue": "The value of an option: a string, a number, a boolean, or `None`, which stands "
    "for the default.",
    "ReadOptionValue": "The same as `OptionValue`, or a `Path` for `base_path`, or a `StructType` "
    "for `schema`.",
    "Paths": "A list of paths such as `$.user.id`, or a mapping of Variant columns to such lists.",
    "PathsOrText": "The same as `Paths`, or the text of the option.",
    "Pins": "A list of paths with their types, such as `$.ts timestamp`, a mapping of paths to "
    "types, or a mapping of Variant columns to one of these.",
    "Queries": "SQL as a text, a file with SQL as a `Path`, or a list or another collection of "
    "strings.",
    "Step": "A function that is called with the name of the next step, and returns a context "
    "manager within which the step runs.",
    "silent": "The `Step` that shows nothing.",
}
SECTIONS = {
    "parameters": "Parameters",
    "attributes": "Attributes",
    "returns": "Returns",
    "raises": "Raises",
}


def page() -> str:
    """Give the text of the page."""
    package = griffe.load(
        "variant_shredded",
        search_paths=[ROOT / "python" / "src"],
        docstring_parser="numpy",
        allow_inspection=False,
    )
    assert isinstance(package, griffe.Module)
    members = [resolved(package, name) for name in package.exports or ()]
    kinds: dict[str, list[griffe.Object]] = {"Functions": [], "Classes": [], "Errors": []}
    for member in members:
        if isinstance(member, griffe.Function):
            kinds["Functions"].append(member)
        elif isinstance(member, griffe.Class):
            kinds["Errors" if member.name.endswith("Error") else "Classes"].append(member)
    lines = [HEAD]
    for kind, found in kinds.items():
        lines.append(f"## {kind}\n")
        for member in found:
            lines.extend(described(member, "###"))
    expect_types(kinds["Functions"], package)
    lines.append("## Types\n\nThe signatures above use these names.\n")
    lines.extend(f"- `{name}`: {meaning}" for name, meaning in TYPES.items())
    return "\n".join(lines).rstrip() + "\n"


def resolved(package: griffe.Module, name: str | griffe.ExprName) -> griffe.Object:
    """Find what a name of ``__all__`` stands for."""
    member = package[str(name)]
    if isinstance(member, griffe.Module):
        # The module hides the function of the same name.
        member = member[str(name)]
    return member.final_target if isinstance(member, griffe.Alias) else member


def described(member: griffe.Object, heading: str) -> Iterator[str]:
    """Give a heading, the signature and the docstring of a function or a class."""
    yield f"{heading} `{member.name}`\n"
    if isinstance(member, griffe.Function):
        yield f"```python\n{signature(member)}\n```\n"
    elif isinstance(member, griffe.Attribute):
        yield f"```python\n{member.name}: {member.annotation}\n```\n"
    yield from documented(member)
    if isinstance(member, griffe.Class):
        for part in member.members.values():
            if isinstance(part, griffe.Object) and is_shown(part):
                yield from described(part, heading + "#")


def is_shown(part: griffe.Object) -> bool:
    """Tell whether a part of a class has its own heading: a public method or property."""
    return not part.name.startswith("_") and (part.is_function or "property" in part.labels)


def signature(function: griffe.Function) -> str:
    """Give the signature as the formatter of the sources writes it."""
    source = f"{function.signature(return_type=True)}: ..."
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--line-length", "88", "-"],
        input=f"def {source}",
        capture_output=True,
        text=True,
        check=True,
    )
    return formatted.stdout.strip().removeprefix("def ").removesuffix(": ...")


def documented(member: griffe.Object) -> Iterator[str]:
    """Give the docstring as Markdown."""
    for section in member.docstring.parsed if member.docstring else ():
        kind = section.kind.value
        if kind == "text":
            yield f"{text(section.value)}\n"
        elif kind in SECTIONS:
            if isinstance(member, griffe.Function) and kind == "parameters":
                expect_all(member, {entry.name for entry in section.value})
            yield f"**{SECTIONS[kind]}**\n"
            yield from (item(entry, kind) for entry in section.value)
            yield ""
        else:
            raise ValueError(f"{member.path}: there is no rule for a section of {kind}")


def expect_all(function: griffe.Function, described_names: set[str]) -> None:
    """Raise if a docstring, as it was parsed, leaves out a parameter that the function has."""
    names = {name.lstrip("*") for name in described_names} | {"self"}
    missing = [p.name for p in function.parameters if p.name not in names]
    if missing:
        raise ValueError(f"{function.path}: nothing is said of {', '.join(missing)}")


def expect_types(functions: list[griffe.Object], package: griffe.Module) -> None:
    """Raise if the signatures use other names of the package than those of `TYPES`."""
    exported = {str(name) for name in package.exports or ()}
    used = set()
    for function in functions:
        assert isinstance(function, griffe.Function)
        for parameter in function.parameters:
            for part in (parameter.annotation, parameter.default):
                if isinstance(part, griffe.Expr):
                    used |= {
                        name.name
                        for name in part.iterate(flat=True)
                        if isinstance(name, griffe.ExprName)
                        and name.canonical_path.startswith(f"{package.name}.")
                    }
    if used - exported != set(TYPES):
        differing = ", ".join(sorted((used - exported) ^ set(TYPES)))
        raise ValueError(f"TYPES and the signatures differ: {differing}")


def item(entry: griffe.DocstringElement, kind: str) -> str:
    """Give one parameter, attribute, result or error as an item of a list."""
    name = getattr(entry, "name", "")
    annotation = str(entry.annotation) if entry.annotation is not None else ""
    label = f"`{name}`" if name else f"`{annotation}`"
    if name and annotation and kind == "attributes":
        label += f" (`{annotation}`)"
    description = text(entry.description).replace("\n\n", "\n").replace("\n", "\n  ")
    return f"- {label}: {description}"


def text(docstring: str) -> str:
    """Turn the literals of a docstring into those of Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", docstring.strip())


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    expected = page()
    if "--check" not in arguments:
        PAGE.write_text(expected, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != expected:
        print("docs/api.md differs from the docstrings: run `make fmt`.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
