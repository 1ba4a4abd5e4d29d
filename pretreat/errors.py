"""The errors that people see: each says where, what, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_CONTROLS: Final = dict.fromkeys(
    [n for n in range(32) if n not in (9, 10)]
    + [*range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "\ufffd",
)


def shown(text: str) -> str:
    r"""Return text as a terminal may show it: signs that steer a terminal, or turn text around, are replaced.

    Examples
    --------
    >>> shown("Acme\x1b[2J") == "Acme\ufffd[2J"
    True
    """
    return text.translate(_CONTROLS)


class PretreatError(Exception):
    """Base of every error that pretreat raises on purpose.

    Parameters
    ----------
    what : str
        What is wrong, in one sentence.
    where : str, optional
        The file, sheet and cell, or the option, that it is about.
    todo : str, optional
        What the reader can do about it.
    """

    def __init__(self, what: str, *, where: str = "", todo: str = "") -> None:
        self.what, self.where, self.todo = what, where, todo
        super().__init__(what)

    def __str__(self) -> str:
        """One line: where, what, what to do."""
        line = f"{self.where}: {self.what}" if self.where else self.what
        return shown(f"{line} {self.todo}" if self.todo else line)


class FileError(PretreatError):
    """A file that cannot be opened, or is not what its name says."""


class UsageError(PretreatError):
    """An option, an argument or a frame that does not fit."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a pack: the file, the row and the key it stands at, and a code that a row can accept."""

    file: str
    row: str
    key: str
    code: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        """One line, as `pretreat limits lint` prints it."""
        place = ", ".join(part for part in (self.row, self.key) if part)
        kind = "warning" if self.warning else "error"
        return f"{self.file}: {place + ': ' if place else ''}{self.message} [{kind} {self.code}]"


class PackError(PretreatError):
    """A pack that cannot be used: all its faults at once."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))
