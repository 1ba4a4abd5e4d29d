"""What a pack holds, once read: limits, event rules, schedule rules, penalties, definitions and a checklist.

Everything is frozen and holds both what the document prints and what it means in canonical units. Which of the limits
bind a user, at a place and on a date, is decided in `pretreat.limits`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Final

from pretreat.limits.facts import Condition, Fact
from pretreat.limits.seasons import Season

STATISTICS: Final = (
    "instantaneous",
    "24-hour average",
    "daily maximum",
    "4-day average",
    "weekly average",
    "monthly average",
    "30-day average",
    "12-month average",
    "median",
    "geometric mean",
    "reading count",
    "duration",
    "slug",
)
"""The statistics, in the interface's words; the last three come from `readings`, `for` and `[slug]`."""

POINTS: Final = ("end of pipe", "end of process", "in-plant", "plant influent", "plant effluent")
PLANT: Final = frozenset({"plant influent", "plant effluent"})
BEFORE_MIXING: Final = frozenset({"end of process", "in-plant"})

KINDS: Final = (
    "violation",
    "surcharge",
    "screening",
    "action level",
    "design",
    "field",
    "background",
    "reference",
    "monitor only",
    "class test",
    "no limit",
)
"""What a number is for; the last five are shown and never compared."""

NOT_COMPARED: Final = frozenset({"background", "reference", "monitor only", "class test", "no limit"})

SAMPLES: Final = ("grab", "composite", "continuous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One number of a limit: the side it closes, the relation that violates it, and its value in the canonical unit.

    `low` and `high` differ where the document prints two units that disagree, and are the two ends of a band for
    `inside`. `number` is as printed (times its factor, if any), `decimals` how many decimals are printed.
    """

    side: str
    operator: str
    number: Decimal | None
    decimals: int
    low: float
    high: float
    also: str = ""


@dataclass(frozen=True, slots=True)
class Readings:
    """How many readings over make a violation, and how they must lie; times in minutes.

    `among` is of how many consecutive readings they are (`2 of 3`).
    """

    count: int
    successive: bool = False
    apart: float = 0.0
    within: float | None = None
    among: int | None = None


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a value may be over: `minutes` in one run (`event`) or added up over a `day` or `month`."""

    minutes: float
    per: str = "event"
    inclusive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Several parameters under one name. `floor` is in mg/L; `gaps` says why the list is not complete."""

    name: str
    members: tuple[str, ...]
    summed: bool = False
    quantified: bool = False
    floor: float | None = None
    gaps: str = ""
    cite: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slug:
    """A slug in the document's words; without a `multiple` slugs are prohibited and not defined."""

    of: tuple[str, ...] = ()
    multiple: Decimal | None = None
    multiple_inclusive: bool = False
    minutes: float = 0.0
    minutes_inclusive: bool = False
    baseline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One printed limit, for one statistic; a range has two bounds.

    `cite` is whole, with what is not printed in [ ]. `key` is unique within the pack. `when` holds all conditions.
    `replaces` names what it stands in place of, as `pack: id`; `variant_of` the key of the same printed cell's number
    that holds otherwise (`mark` is what the page marks this one with), `derived_from` that of the limit it is worked
    out from. `source` is where it stands in the file.
    """

    pack: str
    id: str
    key: str
    cite: str
    parameter: str
    statistic: str
    unit: str
    bounds: tuple[Bound, ...] = ()
    fraction: str = ""
    name_printed: str = ""
    statistic_printed: str = ""
    unit_printed: str = ""
    value_printed: str = ""
    points: tuple[str, ...] = ("end of pipe",)
    sample_type: str = ""
    kind: str = "violation"
    when: Mapping[str, Condition] = field(default_factory=dict)
    season: Season | None = None
    start: date | None = None
    until: date | None = None
    replaces: tuple[str, ...] = ()
    variant_of: str = ""
    readings: Readings | None = None
    duration: Duration | None = None
    group: Group | None = None
    member_of: str = ""
    derived_from: str = ""
    mark: str = ""
    slug: Slug | None = None
    formula: str = ""
    formula_factor: float = 1.0
    external: str = ""
    words: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    accepts: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    printed: str = ""
    note: str = ""
    heading: str = ""
    source: str = ""

    @property
    def level(self) -> str:
        """What is counted or timed, such as `> 10`; empty for a limit on the value itself."""
        if self.slug is not None:
            return f"{self.slug.multiple} times the baseline" if self.slug.multiple is not None else ""
        if (self.readings is None and self.duration is None) or not self.bounds:
            return ""
        return f"{self.bounds[0].operator} {self.bounds[0].low:.10g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRule:
    """A duty with dates: `rule` is one of the seven sentences (limits/README.md, "Schedule sentences")."""

    pack: str
    id: str
    cite: str
    subject: str
    rule: str
    who: str = "user"
    unless: str = ""
    when: Mapping[str, Condition] = field(default_factory=dict)
    printed: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """What an offence may cost, and which sections it reaches; it is never computed for anything else."""

    pack: str
    id: str
    cite: str
    subject: str
    least: Decimal | None = None
    most: Decimal | None = None
    jail: str = ""
    per: str = ""
    offence: str = ""
    within: str = ""
    reaches: tuple[str, ...] = ()
    printed: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A line of the checklist (kinds `narrative`, `record`, `rule`, `external`) or a definition."""

    pack: str
    id: str
    cite: str
    subject: str
    kind: str
    means: str = ""
    printed: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """One document's limits: `document` and `snc` as written, `settings` and `facts` what it decides and asks.

    `quoted` are the words that tables, headings, marks and groups print, with the place where they stand.
    """

    name: str
    file: str
    sha256: str
    document: Mapping[str, object]
    settings: Mapping[str, str]
    facts: Mapping[str, Fact]
    rows: tuple[Limit, ...]
    schedule: tuple[ScheduleRule, ...] = ()
    checklist: tuple[Item, ...] = ()
    definitions: tuple[Item, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    groups: Mapping[str, Group] = field(default_factory=dict)
    slug: Limit | None = None
    snc: Mapping[str, object] | None = None
    quoted: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """The document's title."""
        return str(self.document.get("title", self.name))


@dataclass(frozen=True)
class Limits:
    """The packs that are to be held against the results, in the order given.

    `default` names those of users who name none (None: all); `everyone` those that bind beside a user's own.

    Examples
    --------
    >>> Limits(()).rows
    ()
    """

    packs: tuple[Pack, ...]
    default: tuple[str, ...] | None = None
    everyone: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> tuple[Limit, ...]:
        """Every limit of every pack; its position is the number that `in_force` gives."""
        return tuple(row for pack in self.packs for row in pack.rows)

    def of_user(self, named: Sequence[str]) -> tuple[str, ...]:
        """Return the packs that bind a user who names these (none: the default ones), in the order of the packs."""
        mine = set(named) if named else {p.name for p in self.packs} if self.default is None else set(self.default)
        return tuple(p.name for p in self.packs if p.name in mine or p.file in mine or p.name in self.everyone)

    @cached_property
    def facts(self) -> Mapping[str, Fact]:
        """The questions of all packs; the first pack that asks words it."""
        return MappingProxyType({name: fact for pack in reversed(self.packs) for name, fact in pack.facts.items()})

    @cached_property
    def settings(self) -> Mapping[str, Mapping[str, str]]:
        """What each pack decides, by its name."""
        return MappingProxyType({pack.name: pack.settings for pack in self.packs})
