"""Change the deciding modules one small thing at a time, and see whether a test notices.

    python benchmarks/mutate.py MODULE TESTS... [--most N] [--seed S]

Works on a copy of the committed tree, never on yours. A mutant changes one operator, comparison, constant or condition; it is killed if the
tests given fail or take too long, and survives if they pass. Survivors are printed with their line, to be looked at: some change nothing
that anybody could see, others want a test.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
BINARY = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


def mutants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Give every small change of one node, with what it is."""
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            if type(op) in COMPARE:
                made = deepcopy(node)
                made.ops[at] = COMPARE[type(op)]()
                yield f"{ast.unparse(node)}  ->  {ast.unparse(made)}", made
    elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        made = deepcopy(node)
        made.op = BINARY[type(node.op)]()
        yield f"{ast.unparse(node)}  ->  {ast.unparse(made)}", made
    elif isinstance(node, ast.BoolOp):
        made = deepcopy(node)
        made.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{ast.unparse(node)}  ->  {ast.unparse(made)}", made
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield f"{ast.unparse(node)}  ->  {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value}  ->  {not node.value}", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"{node.value}  ->  {node.value + 1}", ast.Constant(node.value + 1)
    elif isinstance(node, ast.IfExp):
        made = ast.IfExp(node.test, node.orelse, node.body)
        yield f"{ast.unparse(node)}  ->  branches exchanged", made


def nodes(tree: ast.Module) -> list[ast.AST]:
    """Return the nodes that do something: annotations are left out."""
    said = {
        id(node)
        for owner in ast.walk(tree)
        for name in ("annotation", "returns")
        if isinstance(part := getattr(owner, name, None), ast.AST)
        for node in ast.walk(part)
    }
    return [node for node in ast.walk(tree) if id(node) not in said]


class Put(ast.NodeTransformer):
    """Put one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the new node for the old one."""
        return ast.copy_location(self.new, node) if node is self.old else self.generic_visit(node)


def passes(place: Path, tests: list[str], seconds: int) -> bool:
    """Return whether the tests pass in time."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    try:
        return subprocess.run(command, cwd=place, capture_output=True, timeout=seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--seconds", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tree = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(tree)) as archive:
            archive.extractall(place, filter="data")
        if not passes(place, asked.tests, asked.seconds):
            raise SystemExit("the tests do not pass on the committed tree")
        path = place / asked.module
        source = path.read_text(encoding="utf-8")
        found = [(at, nth) for at, node in enumerate(nodes(ast.parse(source))) for nth, _ in enumerate(mutants(node))]
        random.Random(asked.seed).shuffle(found)
        survivors = []
        for at, nth in found[: asked.most]:
            parsed = ast.parse(source)  # afresh, since a mutant is made in the tree
            node = nodes(parsed)[at]
            what, made = list(mutants(node))[nth]
            changed = ast.fix_missing_locations(Put(node, made).visit(parsed))
            path.write_text(ast.unparse(changed), encoding="utf-8")
            if passes(place, asked.tests, asked.seconds):
                survivors.append(f"{asked.module}:{getattr(node, 'lineno', 0)}: {what}")
                print(survivors[-1], flush=True)
        tried = min(len(found), asked.most)
        print(
            f"{asked.module}: {tried} of {len(found)} mutants, {tried - len(survivors)} killed, {len(survivors)} survived, seed {asked.seed}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
