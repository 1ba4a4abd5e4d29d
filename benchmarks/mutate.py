"""Change the deciding modules one small thing at a time, and see whether a test notices.

    python benchmarks/mutate.py MODULE TESTS... [--most N] [--seed S] [--again SURVIVORS]

Works on a copy of the committed tree, never on yours. A mutant changes one operator, comparison, constant or condition; it is killed if the
tests given fail, cannot be collected or take too long, and survives if they pass. The module's own doctests always run. Survivors are printed
with their line, to be looked at: some change nothing that anybody could see, others want a test.

Each mutant runs in a fork of this process, which has imported what is slow to import and nothing of the package; tests that killed one mutant
are tried first on the next.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import io
import os
import random
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = "numpy", "pandas", "pyarrow.parquet", "pint", "openpyxl"
UNSEEN = "dataclass", "zip", "TypeVar"
"""Calls whose constants (`frozen`, `slots`, `strict`) guard the programmer: no value depends on them."""
PLUGINS = "ignore::pytest.PytestAssertRewriteWarning"
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
    """Return the nodes that do something: annotations, and the constants of `UNSEEN`, are left out."""
    parts = [getattr(owner, name, None) for owner in ast.walk(tree) for name in ("annotation", "returns")]
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in UNSEEN:
            parts += [word.value for word in call.keywords]
    said = {id(node) for part in parts if isinstance(part, ast.AST) for node in ast.walk(part)}
    return [node for node in ast.walk(tree) if id(node) not in said]


def named(module: str, node: ast.AST) -> list[str]:
    """Say of every change of a node where it is and what."""
    return [f"{module}:{getattr(node, 'lineno', 0)}: {what}" for what, _ in mutants(node)]


class Put(ast.NodeTransformer):
    """Put one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the new node for the old one."""
        return ast.copy_location(self.new, node) if node is self.old else self.generic_visit(node)


def passes(tests: list[str], seconds: float, *more: str) -> bool:
    """Return whether the tests pass in time, in a fork of this process: of the processor's, and ten times that of the clock's."""
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        sys.dont_write_bytecode = bool(more)  # only what is not changed is kept compiled
        try:
            status = int(
                pytest.main(["-q", "-x", "-m", "not slow", "-W", PLUGINS, "--hypothesis-seed=0", *more, *tests])
            )
        except BaseException:  # noqa: BLE001 - a mutant may do anything; it is killed
            status = 1
        os._exit(status)
    end = time.monotonic() + 10 * seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return False
        time.sleep(0.02)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--again", type=Path, help="only the survivors that an earlier run printed, from a file")
    parser.add_argument("--seconds", type=int, default=300, help="the longest that the unchanged tree may take")
    asked = parser.parse_args()
    again = None if asked.again is None else asked.again.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        tree = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(tree)) as archive:
            archive.extractall(folder, filter="data")
        os.chdir(folder)
        sys.path[0] = os.environ["PYTHONPATH"] = folder  # for the commands that tests start, too
        for name in HEAVY:
            importlib.import_module(name)
        tests = [asked.module, *asked.tests]
        began = time.monotonic()
        if not passes(tests, asked.seconds):
            raise SystemExit("the tests do not pass on the committed tree")
        longest = 10 + 4 * (time.monotonic() - began)
        path = Path(asked.module)
        source = path.read_text(encoding="utf-8")
        texts = [named(asked.module, node) for node in nodes(ast.parse(source))]
        found = [(at, nth) for at, each in enumerate(texts) for nth in range(len(each))]
        random.Random(asked.seed).shuffle(found)
        if again is not None:
            found = [(at, nth) for at, nth in found if texts[at][nth] in again]
        found, whole, survived = found[: asked.most], len(found), 0
        for tried, (at, nth) in enumerate(found, 1):
            parsed = ast.parse(source)  # afresh, since a mutant is made in the tree
            node = nodes(parsed)[at]
            _, made = list(mutants(node))[nth]
            changed = ast.fix_missing_locations(Put(node, made).visit(parsed))
            path.write_text(ast.unparse(changed), encoding="utf-8")
            if passes(tests, longest, "--ff"):
                survived += 1
                print(texts[at][nth], flush=True)
            if tried % 10 == 0:
                print(f"... {tried} of {len(found)}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        print(
            f"{asked.module}: {len(found)} of {whole} mutants, {len(found) - survived} killed, {survived} survived, "
            f"seed {asked.seed}, {time.monotonic() - began:.0f} s"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
