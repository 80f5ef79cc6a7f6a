"""The reference of Python: a page a module and one a class, from signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MODULES = (
    "atoll",
    "atoll.linalg",
    "atoll.fft",
    "atoll.random",
    "atoll.disk",
    "atoll.checkpoint",
    "atoll.tensor",
    "atoll.algebra",
    "atoll.chem",
)


def write_all(into: Path, folder: str) -> list[str]:
    """Write the pages; give them as mkdocs names them: a module alone, or with its classes."""
    (into / folder).mkdir(parents=True)
    names, told = [], set[int]()
    for module_name in MODULES:
        module = _found(module_name)
        name = f"{folder}/{module_name}.md"
        (into / name).write_text(_module_page(module_name, module))
        classes = []
        for title, value in _public(module):
            if inspect.isclass(value) and id(value) not in told:
                told.add(id(value))
                name = f"{folder}/{module_name}.{title}.md"
                (into / name).write_text(_class_page(f"{module_name}.{title}", value))
                classes.append(f"{title}: {name}")
        page = f"{folder}/{module_name}.md"
        names.append(f"{module_name}: [{', '.join([page, *classes])}]" if classes else page)
    return names


def _found(name: str) -> Any:
    """Give a module, or what stands for one: `atoll.random` is a function with names of its own."""
    package, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(package), last)


def _public(owner: Any) -> Iterator[tuple[str, Any]]:
    listed = getattr(owner, "__all__", None) if inspect.ismodule(owner) else None
    for name in sorted(listed or dir(owner)):
        value = inspect.getattr_static(owner, name, getattr(owner, name, None))
        of_tuples = isinstance(owner, type) and getattr(tuple, name, None) is value
        if not name.startswith("_") and not of_tuples:
            yield name, value


def _module_page(module_name: str, module: Any) -> str:
    lines = [f"# {module_name}", "", _prose(inspect.getdoc(module) or ""), ""]
    classes = [name for name, value in _public(module) if inspect.isclass(value)]
    if classes:
        names = [f"[{name}]({module_name}.{name}.md)" for name in classes]
        lines += ["## Classes", "", ", ".join(names), ""]
    for name, value in _public(module):
        if callable(value) and not inspect.isclass(value):
            lines += _entry(name, value)
        elif not inspect.ismodule(value) and not inspect.isclass(value):
            lines += [f"## {name} {{: #{name} }}", "", f"`{value!r:.60}`", ""]
    return "\n".join(lines)


def _class_page(title: str, value: type) -> str:
    lines = [f"# {title}", "", _prose(inspect.getdoc(value) or ""), ""]
    if "__init__" in vars(value):
        lines += _entry(title.rpartition(".")[2], value)
    for name, member in _public(value):
        if isinstance(member, (property, types.GetSetDescriptorType)) or not callable(
            getattr(member, "__func__", member)
        ):
            lines += [f"## {name} {{: #{name} }}", "", _prose(inspect.getdoc(member) or ""), ""]
        else:
            lines += _entry(name, getattr(value, name))
    return "\n".join(lines)


def _entry(name: str, value: Callable[..., Any]) -> list[str]:
    """Give the section of a callable."""
    text = inspect.getdoc(value) or ""
    signature, text = _signature(name, value, text)
    return [f"## {name} {{: #{name} }}", "", "```python", signature, "```", "", _prose(text), ""]


def _signature(name: str, value: Callable[..., Any], text: str) -> tuple[str, str]:
    """Give the signature, and the docstring without it: the extension's functions tell it there."""
    first, _, rest = text.partition("\n")
    if re.match(rf"{re.escape(name)}\(", first) or first.startswith("__init__("):
        lines = [line for line in text.splitlines() if "typing.NoReturn" not in line]
        overloads = re.findall(r"^\d+\. ``(.*)``$", "\n".join(lines), re.M)
        body = re.sub(r"^(?:\d+\. ``.*``|Overloaded function\.)$", "", "\n".join(lines), flags=re.M)
        body = re.sub(rf"^(?:{re.escape(name)}|__init__)\(.*$", "", body, flags=re.M)
        return "\n".join(_plain(line) for line in overloads or [first]), body.strip() or rest
    try:
        return _plain(f"{name}{inspect.signature(value)}"), text
    except (TypeError, ValueError):
        return f"{name}(...)", text


def _plain(signature: str) -> str:
    """Shorten names of types, and take the quotes from annotations."""
    signature = re.sub(r"'([^']*)'", r"\1", signature)
    return re.sub(r"(?:typing|numpy\.typing|atoll\._core|numpy|collections\.abc)\.", "", signature)


def _prose(text: str) -> str:
    """Make Markdown of a docstring: examples become code, and headed blocks lists."""
    lines: list[str] = []
    in_code = False
    for line in text.splitlines():
        starts = line.lstrip().startswith(">>>")
        if starts and not in_code:
            lines += ["", "```pycon"]
            in_code = True
        elif in_code and not line.strip():
            lines += ["```", ""]
            in_code = False
        if in_code:
            lines.append(line.strip() if starts else line)
        else:
            lines.append(_of_block(line))
    if in_code:
        lines.append("```")
    return "\n".join(lines)


def _of_block(line: str) -> str:
    """Write `Args:` as bold, and `name: text` below it as an item of a list."""
    if re.match(r"(Args|Raises|Returns|Yields|Attributes|Note):$", line):
        return f"\n**{line[:-1]}**\n"
    found = re.match(r"    ([\w, *`]+): (.*)", line)
    if found:
        return f"- `{found[1].strip('`')}`: {_escaped(found[2])}"
    return _escaped(line.strip() if line.startswith("    ") else line)


def _escaped(text: str) -> str:
    return re.sub(r"<(?=[a-zA-Z/])", "&lt;", text)
