"""The page proves the file: quotations and numbers of a pack, looked up in the document's own text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pretreat.errors import Fault
from pretreat.limits.provisions import Limit, Pack

_SMALL: Final = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_WORDS: Final = {str(number): (name,) for number, name in enumerate(_SMALL)} | {
    "15": ("fifteen",),
    "20": ("twenty",),
    "24": ("twenty-four",),
    "30": ("thirty",),
    "60": ("sixty",),
    "0.125": ("1/8", "one-eighth"),
    "0.25": ("1/4", "one-quarter", "one-fourth"),
    "0.5": ("1/2", "one-half"),
    "0.75": ("3/4", "three-fourths"),
}
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?|\.\d+")


def find_text(pack: Pack, path: Path, folders: Sequence[Path]) -> str | None:
    """Return the text of a pack's document, where it is at hand: beside the pack, or in one of the folders."""
    name = str(pack.document.get("text", ""))
    for folder in (path.parent, *folders):
        if name and (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8", errors="replace")
    return None


def prove(pack: Pack, text: str) -> list[Fault]:
    """Return the quotations that the text does not have, and the numbers that stand neither in them nor in the text.

    Parameters
    ----------
    pack : Pack
        A pack; every `printed` of its rows is a quotation. ` ... ` in one leaves words out.
    text : str
        The document's text, a line a paragraph or row of a table.

    Examples
    --------
    >>> from pretreat.packs import load
    >>> len(prove(load("federal/403").packs[0], "another page")) > 3
    True
    """
    page = folded(text)
    lines = [_plain(folded(line)) for line in text.splitlines() if line.strip()]
    found = [
        Fault(pack.file, where, "printed", "quotation", f"the document's text does not have {missing!r}", warning=True)
        for where, printed, accepted in _quotations(pack)
        if "quotation" not in accepted
        for missing in _missing(printed, page)
    ]
    for limit in pack.rows:
        if limit.external or limit.variant_of or limit.derived_from or "number" in limit.accepts:
            continue
        for number in _unproved(limit, lines):
            on = limit.name_printed or "slugs"
            message = f"{number} stands neither in the words printed nor in a line of the text on {on}"
            found.append(Fault(pack.file, limit.source, "", "number", message, warning=True))
    return found


def folded(text: str) -> str:
    r"""Return a text without what copying changes: spaces, kinds of dashes and quotation marks, capitals.

    Examples
    --------
    >>> folded("higher  than 150°\xa0F. (64° C.)")
    'higher than 150° f. (64° c.)'
    """
    text = unicodedata.normalize("NFKC", text).translate(
        {0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-"}
    )
    return " ".join(text.split()).casefold()


def _quotations(pack: Pack) -> Iterator[tuple[str, str, frozenset[str]]]:
    nothing: frozenset[str] = frozenset()
    yield from ((where, printed, nothing) for where, printed in pack.quoted)
    for limit in pack.rows:
        if limit.printed and not limit.variant_of:
            yield limit.source, limit.printed, frozenset(limit.accepts)
    for list_, name in ((pack.schedule, "schedule"), (pack.penalties, "penalty")):
        for entry in list_:
            if entry.printed:
                yield f"{name} ({entry.id})", entry.printed, nothing
    for item in (*pack.definitions, *pack.checklist):
        if item.printed:
            yield f"{item.kind} ({item.id})", item.printed, nothing


def _missing(printed: str, page: str) -> list[str]:
    """Return the pieces of a quotation that do not follow each other in the text."""
    at = 0
    for piece in re.split(r"\s*(?:\.\.\.|…)\s*", printed):
        found = page.find(folded(piece), at)
        if found < 0:
            return [piece]
        at = found + len(folded(piece))
    return []


def _unproved(limit: Limit, lines: Sequence[str]) -> list[str]:
    numbers = _NUMBER.findall(limit.value_printed.partition("×")[0])
    numbers += [number for bound in limit.bounds for number in _NUMBER.findall(bound.also)]
    if limit.slug is not None and limit.slug.multiple is not None:
        numbers += [f"{limit.slug.multiple}", f"{limit.slug.minutes:g}"]
    if limit.readings is not None:
        numbers += [str(n) for n in (limit.readings.count, limit.readings.among) if n is not None]
    if limit.printed:
        quoted = _plain(folded(limit.printed))
        return [number for number in dict.fromkeys(numbers) if not _stands(number, quoted)]
    names = [folded(part) for part in re.split(r"[:,]", limit.name_printed or limit.parameter) if part.strip()]
    near = [line for line in lines if not names or re.search(rf"\b{re.escape(names[-1])}", line)]
    return [number for number in dict.fromkeys(numbers) if not any(_stands(number, line) for line in near)]


def _plain(text: str) -> str:
    """Return a text whose numbers have no commas between their thousands."""
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)


def _stands(number: str, text: str) -> bool:
    """Whether a number stands in a text, in figures exactly so or as a word."""
    if re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d|,\d)", text):
        return True
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in _WORDS.get(number, ()))
