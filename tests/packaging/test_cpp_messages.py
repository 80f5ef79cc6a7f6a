"""What must not compile does not, and the compiler says what is allowed instead."""

from __future__ import annotations

import os
from pathlib import Path

from commands import attempt

# Statements that are wrong in one way each, what is to be read of them, and how they are right.
WRONG = [
    (
        "atoll::Array<long double> b(world, {3});",
        "elements of Atoll's arrays are bool, std::int8_t to std::int64_t, std::uint8_t to "
        "std::uint64_t, atoll::Float16, float, double, std::complex<float> or "
        "std::complex<double>",
        "atoll::Array<double> b(world, {3});",
    ),
    (
        "atoll::Array<long long> b(world, {3});",
        "instead of long long: std::int64_t",
        "atoll::Array<std::int64_t> b(world, {3});",
    ),
    (
        "by_value(a);",
        "arrays are not copied: use a reference or duplicate()",
        "by_value(a.duplicate());",
    ),
    ("a = other;", "arrays are not copied: copy(), duplicate()", "atoll::copy(other, a);"),
    (
        "atoll::AnyArray copied = static_cast<atoll::AnyArray&>(a);",
        "AnyArray(const AnyArray&)",
        "atoll::AnyArray& same = a; (void)same;",
    ),
    (
        "double total = atoll::sum(a); (void)total;",
        "a Scalar becomes a number by as<double>()",
        "auto total = atoll::sum(a).as<double>(); (void)total;",
    ),
    ("std::cout << atoll::sum(a);", "print its as<double>()", "std::cout << a.elements();"),
    (
        "(void)atoll::sum(a).as<char>();",
        "RequireElement<char>",
        "(void)atoll::sum(a).as<std::complex<float>>();",
    ),
]
HEAD = "#include <atoll/atoll.hpp>\n#include <iostream>\nvoid by_value(atoll::Array<double>);\n"
ARGUMENTS = "atoll::World& world, atoll::Array<double>& a, atoll::Array<double>& other"


def compile_statements(statements: list[str], flags: list[str], folder: Path) -> str:
    """Give what the compiler says of statements, each in a function of its own; nothing if well."""
    source = folder / "use.cpp"
    functions = [
        f"void use{i}({ARGUMENTS}) {{ (void)world; (void)a; (void)other; {text} }}\n"
        for i, text in enumerate(statements)
    ]
    source.write_text(HEAD + "".join(functions))
    result = attempt(os.environ.get("CXX", "c++"), *flags, "-fsyntax-only", source)
    return "" if result.returncode == 0 else result.stdout


def test_what_is_wrong_is_refused_with_what_is_right(flags: list[str], tmp_path: Path) -> None:
    said = compile_statements([wrong for wrong, _, _ in WRONG], flags, tmp_path)
    first = HEAD.count("\n") + 1
    for number, (wrong, expected, _) in enumerate(WRONG):
        assert f"use.cpp:{first + number}:" in said, wrong
        assert expected in said, wrong


def test_what_is_right_compiles(flags: list[str], tmp_path: Path) -> None:
    assert compile_statements([right for _, _, right in WRONG], flags, tmp_path) == ""
