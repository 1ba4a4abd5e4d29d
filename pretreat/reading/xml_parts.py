"""The XML parts of a zipped workbook, opened within bounds and parsed without following anything."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Final
from xml.parsers import expat

from pretreat.errors import FileError

_LARGEST: Final = 4 << 30
_LARGE: Final = 64 << 20
_TIGHTEST: Final = 250
"""A sheet of numbers packs ten to sixty times smaller; what packs 250 times smaller and is large is a bomb."""


def whole(text: str, otherwise: int) -> int:
    """Return a whole number of an attribute, or another where it is none; one of ten digits or more is 10^10.

    Examples
    --------
    >>> whole("12", 0), whole("x", 0), whole("9" * 5000, 0)
    (12, 0, 10000000000)
    """
    if not (text.isascii() and text.isdecimal()):
        return otherwise
    return int(text) if len(text) < 11 else 10**10


class Parts:
    """The parts of a zipped workbook.

    Parameters
    ----------
    data : bytes
        The file.
    file : str
        Its name, for messages.

    Raises
    ------
    FileError
        Where the archive is damaged or unpacks to more than a workbook can need.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self.damaged("its parts cannot be unpacked") from error
        entries = self._archive.infolist()
        total = sum(entry.file_size for entry in entries)
        if total > _LARGEST or any(
            e.file_size > _LARGE and e.file_size > _TIGHTEST * max(e.compress_size, 1) for e in entries
        ):
            raise FileError(
                f"it unpacks to {total / 1e6:,.0f} MB, far more than a workbook of samples needs.",
                where=file,
                todo="It is not opened; ask for the file again.",
            )
        self.names = frozenset(entry.filename for entry in entries)

    def damaged(self, what: str) -> FileError:
        """Return the error for a damaged workbook."""
        return FileError(
            f"the workbook is damaged: {what}.",
            where=self.file,
            todo="Open it in Excel, save it again, or ask for a new one.",
        )

    def read(self, name: str) -> bytes:
        """Return a part, or nothing where the workbook has none of that name.

        Raises
        ------
        FileError
            Where the part cannot be unpacked, or declares entities.
        """
        if name not in self.names:
            return b""
        try:
            data = self._archive.read(name)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise self.damaged(f"{name} cannot be unpacked") from error
        if b"<!DOCTYPE" in data[:4000] or b"<!ENTITY" in data[:4000]:
            raise self.damaged(f"{name} declares entities, which no spreadsheet program writes")
        return data

    def parse(
        self,
        name: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
        *,
        data: bytes | None = None,
    ) -> None:
        """Parse a part; the handlers are given the names of elements without their namespaces.

        Raises
        ------
        FileError
            Where the part is no well-formed XML.
        """
        data = self.read(name) if data is None else data
        if not data:
            return
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        # Tags lose their namespace; attributes keep it (`uri name`), since one element may have two of one name.
        parser.StartElementHandler = lambda tag, attributes: start(tag.rpartition(" ")[2], attributes)
        if end is not None:
            parser.EndElementHandler = lambda tag: end(tag.rpartition(" ")[2])
        if text is not None:
            parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self.damaged(f"{name} is not well formed (line {error.lineno})") from error
        except (LookupError, ValueError) as error:
            raise self.damaged(f"{name} is in an unknown encoding") from error

    def _doctype(self, *_: object) -> None:
        raise self.damaged("a part declares entities, which no spreadsheet program writes")
