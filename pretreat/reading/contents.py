"""What a file is, told by its first bytes rather than by its name."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from pretreat.errors import FileError

_OTHER: Final = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"%PDF", "a PDF document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BIFF: Final = (b"\x09\x08", b"\x09\x04", b"\x09\x02", b"\x09\x00")


def kind(data: bytes, file: str) -> str:
    """Return what the bytes are: `xlsx`, `xls`, `ods`, `parquet` or `text`.

    Raises
    ------
    FileError
        Where they are none of these: a picture renamed, a web page saved as `.xls`, an empty file.

    Examples
    --------
    >>> kind(b"Date,Zinc", "a.csv")
    'text'
    >>> kind(bytes([0x89]) + b"PNG", "a.xlsx")
    Traceback (most recent call last):
    pretreat.errors.FileError: a.xlsx: it is a PNG picture. Give a spreadsheet, such as a .xlsx or a .csv.
    """
    if not data.strip():
        raise FileError("the file is empty.", where=file, todo="Ask for the file with its data.")
    if data.startswith(b"PK"):
        return _zipped(data, file)
    if data.startswith(_OLE) and b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e" in data:
        raise FileError("it is protected by a password.", where=file, todo="Save it without one.")
    if data.startswith(_OLE) or (data[:2] in _BIFF and b"\0" in data[:64]):
        return "xls"
    if data.startswith(b"PAR1"):
        return "parquet"
    for start, name in _OTHER:
        if data.startswith(start) and (len(start) > 2 or b"\0" in data[:512]):
            raise _not_a_sheet(name, file)
    opening = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if opening.startswith((b"<!doctype html", b"<html", b"<table")):
        raise FileError(
            "it is a web page, whatever its name says.", where=file, todo="Open it in Excel and save it as .xlsx."
        )
    if opening.startswith(b"<?xml"):
        raise FileError("it is an XML document.", where=file, todo="Open it in Excel and save it as .xlsx.")
    return "text"


def _zipped(data: bytes, file: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            if "mimetype" in names and b"spreadsheet" in archive.open("mimetype").read(200):
                return "ods"
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
        raise FileError(
            "the workbook is damaged: its parts cannot be unpacked.", where=file, todo="Ask for the file again."
        ) from error
    if any(name.endswith(".bin") and "workbook" in name for name in names):
        raise FileError("it is a binary workbook (.xlsb).", where=file, todo="Save it as .xlsx.")
    if any(name.startswith("xl/") for name in names) or "[Content_Types].xml" in names:
        if any(name.startswith(("word/", "ppt/")) for name in names):
            raise _not_a_sheet("a document of Word or PowerPoint", file)
        return "xlsx"
    raise _not_a_sheet("a zip archive", file)


def _not_a_sheet(name: str, file: str) -> FileError:
    return FileError(f"it is {name}.", where=file, todo="Give a spreadsheet, such as a .xlsx or a .csv.")
