"""Formulas over facts, such as `0.032 * 24.4 / y`: numbers, names, `+ - * /` and brackets, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from decimal import Decimal
from operator import add, mul, sub, truediv
from typing import Final

_ARITHMETIC: Final[dict[type, Callable[[Decimal, Decimal], Decimal]]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.Div: truediv,
}


def names_in(formula: str) -> tuple[str, ...]:
    """Return the facts that a formula names, sorted.

    Raises
    ------
    ValueError
        If it is no formula, or names no fact: `5.5-9.5` is a range or a date, never a difference.

    Examples
    --------
    >>> names_in("0.032 * 24.4 / y")
    ('y',)
    """
    try:
        tree = ast.parse(formula.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{formula!r} is no number and no formula") from error
    for node in ast.walk(tree):
        allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Constant, ast.USub, *_ARITHMETIC)
        if not isinstance(node, allowed) or (
            isinstance(node, ast.Constant) and (isinstance(node.value, bool) or not isinstance(node.value, int | float))
        ):
            raise ValueError(f"{formula!r} may hold numbers, facts, + - * / and brackets only")
    names = tuple(sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}))
    if not names:
        raise ValueError(f"{formula!r} names no fact; write the number itself, or a range as 'A to B'")
    return names


def evaluate(formula: str, values: Mapping[str, Decimal]) -> Decimal:
    """Return the value of a formula; decimals stay decimals.

    Raises
    ------
    KeyError
        If a fact that it names is missing.
    ZeroDivisionError
        If it divides by zero.

    Examples
    --------
    >>> evaluate("0.032 * 24.4 / y", {"y": Decimal(2)})
    Decimal('0.3904')
    """
    return _value(ast.parse(formula.strip(), mode="eval").body, values, formula.strip())


def _value(node: ast.expr, values: Mapping[str, Decimal], text: str) -> Decimal:
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant):
        return Decimal(ast.get_source_segment(text, node) or str(node.value))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand, values, text)
    assert isinstance(node, ast.BinOp)  # noqa: S101  (names_in has refused everything else)
    left, right = _value(node.left, values, text), _value(node.right, values, text)
    if isinstance(node.op, ast.Div) and right == 0:
        raise ZeroDivisionError(f"{text!r} divides by zero")
    return _ARITHMETIC[type(node.op)](left, right)
