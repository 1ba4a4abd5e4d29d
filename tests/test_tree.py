"""What holds for every file of the tree."""

import re

from shared import ROOT

FILES = [path for folder in ("pretreat", "tests", "samples", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
EXCEPTION = re.compile(
    r"# noqa\b(?!: [A-Z]+[0-9]+\s+(?:- |\()\w)|mark\.(?:skip|xfail)\b|(?:pytest\.skip|importorskip|skipif)\("
)


def unjustified(text: str) -> list[str]:
    """The lines that take an exception from a check without saying why."""
    lines = text.splitlines()
    found = [(n, line) for n, line in enumerate(lines) if EXCEPTION.search(line)]
    return [
        line.strip()
        for n, line in found
        if "noqa" in line or not ("reason=" in "".join(lines[n : n + 5]) or re.search(r"pytest\.skip\(\"\w", line))
    ]


def test_every_exception_to_a_check_says_why():
    assert len(FILES) > 200
    found = [
        f"{path.name}: {line}"
        for path in FILES
        if path.name != "test_tree.py"
        for line in unjustified(path.read_text(encoding="utf-8"))
    ]
    assert not found, found


def test_an_exception_without_a_reason_is_found():
    given = 'x = 1  # noqa\nimport y  # noqa: F401\n@pytest.mark.skip\npytest.importorskip("z")\npytest.skip()\n'
    assert len(unjustified(given)) == 5
    given = 'x = 1  # noqa: F841 - why\nimport y  # noqa: F401  (why)\npytest.skip("why")\nskipif(a, reason="why")\n'
    assert unjustified(given) == []
