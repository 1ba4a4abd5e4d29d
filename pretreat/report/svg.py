"""Small drawings for the page: one parameter over time against its limits, and the readings around a slug.

Shape says what colour says: dots are within the limit, triangles exceed, diamonds are undetermined; a bar shows an
interval, from zero for a non-detect; limits are lines, or bands where they are printed unclearly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat.report import content, series, wording

WIDTH, HEIGHT = 680, 240
LEFT, RIGHT, TOP, BOTTOM = 54, 172, 24, 32
NO_ZERO: Final = frozenset({"pH", "Temperature", "Flashpoint"})
"""Parameters whose axis does not begin at zero."""
DASHES: Final = {
    "instantaneous": "",
    "24-hour average": "",
    "daily maximum": "",
    "30-day average": "7 4",
    "monthly average": "7 4",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """Where times and values lie on the drawing."""

    first: float
    last: float
    low: float
    high: float

    def x(self, time: Any) -> Any:
        """Return the place of a time (seconds), from the left."""
        return LEFT + (np.asarray(time, dtype=np.float64) - self.first) / (self.last - self.first) * (
            WIDTH - LEFT - RIGHT
        )

    def y(self, value: Any) -> Any:
        """Return the place of a value, from the top; what lies outside is drawn at the edge."""
        part = (np.asarray(value, dtype=np.float64) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - np.clip(part, 0, 1) * (HEIGHT - TOP - BOTTOM)


def chart(drawn: series.Chart, name: str) -> str:
    """Return the SVG of one parameter at one user.

    Parameters
    ----------
    drawn : Chart
        What to draw.
    name : str
        An id that is used once on the page.

    Returns
    -------
    str
        An `<svg>` element with a title and a description for readers who do not see it.
    """
    whole, light = _Points.of(drawn.points), series.light(drawn.points, WIDTH)
    frame, points = _frame(drawn, whole), whole if light is drawn.points else _Points.of(light)
    limits = content.rows(drawn.limits)
    long = points.last - points.first > 2 * 86400
    parts = [_axes(frame, drawn.unit), *(_limit(frame, limit) for limit in limits)]
    parts += [_spans(frame, points.where(long)), _marks(frame, points.where(~long), limits), *_labels(frame, limits)]
    return _svg("".join(parts), name, drawn.title, _describe(drawn, whole, limits))


@dataclass(frozen=True, slots=True)
class _Points:
    """The points of a chart as arrays; times in seconds."""

    first: Any
    last: Any
    low: Any
    high: Any
    verdict: Any

    @classmethod
    def of(cls, points: pd.DataFrame) -> _Points:
        low, high = (points[name].to_numpy(dtype=np.float64) for name in ("low", "high"))
        first, last = _seconds(points["start"]), _seconds(points["end"])
        return cls(first, last, low, high, points["verdict"].to_numpy(dtype=object))

    def where(self, chosen: Any) -> _Points:
        first, last = self.first[chosen], self.last[chosen]
        return _Points(first, last, self.low[chosen], self.high[chosen], self.verdict[chosen])


def _describe(drawn: series.Chart, points: _Points, rows: list[Any]) -> str:
    """Return in words what a chart shows."""
    over, doubtful = (int((points.verdict == verdict).sum()) for verdict in SYMBOLS)
    limits = [f"{wording.permitted(_as_row(each, drawn.unit))} ({each.statistic})" for each in rows]
    ends = np.concatenate([points.low, points.high])
    ends = ends[np.isfinite(ends)]
    between = wording.measured(float(ends.min()), float(ends.max()), drawn.unit) if len(ends) else "unknown"
    first, last = wording.day(drawn.points["start"].min()), wording.day(drawn.points["start"].max())
    return (
        f"{wording.plural(len(points.low), 'value')} from {first} to {last}, {between}; {over} exceed, "
        f"{doubtful} undetermined. "
        f"Limits: {'; '.join(limits) or 'none'}."
    )


def hydrograph(
    times: pd.Series, values: pd.Series, slug: Any, name: str, others: pd.DataFrame | None = None, longest: float = 3600
) -> str:
    """Return the SVG of the readings around a slug: baseline, the multiple of it, and the runs above it shaded.

    Parameters
    ----------
    times, values : Series
        Readings in order of time.
    slug : row of slugs
        With `start`, `end`, `baseline`, `multiple`, `unit` and its user as attributes.
    name : str
        An id that is used once on the page.
    others : DataFrame, optional
        Further slugs, shaded where they lie among the readings.
    longest : float
        How long a reading holds [s]: over a longer gap no line is drawn.
    """
    seconds, level = _seconds(times), slug.baseline * slug.multiple
    top = np.nanmax([float(values.max()), level]) * 1.08
    frame = Frame(float(seconds[0]), float(max(seconds[-1], seconds[0] + 1)), 0.0, float(top))
    (x, y), alone = series.broken(seconds, values.to_numpy(dtype=np.float64), longest, WIDTH)
    x, y = frame.x(x), frame.y(y)
    parts = [_axes(frame, slug.unit)]
    runs = others if others is not None else pd.DataFrame()
    for each in [slug, *content.rows(runs)]:
        left, right = frame.x(_seconds(pd.Series([each.start, each.end])))
        if right >= LEFT and left <= WIDTH - RIGHT:
            left, right = max(left, LEFT), min(right, WIDTH - RIGHT)
            where = f'x="{left:.1f}" y="{TOP}" width="{max(right - left, 1.5):.1f}" height="{HEIGHT - TOP - BOTTOM}"'
            parts.append(f'<rect class="run" {where}/>')
    for value, label, dash in (
        (slug.baseline, "baseline", "3 3"),
        (level, f"{wording.number(slug.multiple)} × baseline", ""),
    ):
        parts.append(_line(frame, value, dash))
        parts.append(_label(float(frame.y(value)), f"{label} {wording.number(value)}"))
    lines = np.split(np.arange(len(y)), np.flatnonzero(np.isnan(y)))
    lines = [line[~np.isnan(y[line])] for line in lines]
    drawn = ["M" + "L".join(f"{x[at]:.1f} {y[at]:.1f}" for at in line.tolist()) for line in lines if len(line) > 1]
    path = "".join(drawn + [f"M{x[at] - 0.75:.1f} {y[at]:.1f}h1.5" for at in alone.tolist()])
    parts.append(f'<path class="readings" d="{path}"/>')
    what = f"{slug.parameter} [{wording.units(slug.unit)}], {wording.place(slug.facility, slug.outfall)}"
    peak, normal = wording.number(slug.peak), wording.number(slug.baseline)
    said = f"Readings around {wording.moment(slug.start)}: peak {peak}, baseline {normal}."
    return _svg("".join(parts), name, what, said)


def _frame(drawn: series.Chart, points: _Points) -> Frame:
    first, last = float(points.first.min()), float(points.last.max())
    more = max(86400.0 if last - first > 3 * 86400 else 4 * 86400.0, (last - first) * 0.02)
    ends = drawn.limits[["limit_low", "limit_high"]].to_numpy(dtype=np.float64)
    values = np.concatenate([points.low, points.high, ends.ravel()])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if drawn.key.parameter in NO_ZERO or low < 0:
        room = max((high - low) * 0.12, abs(high) * 0.01, 1e-9)
        return Frame(first - more, last + more, low - room, high + room)
    return Frame(first - more, last + more, 0.0, high * 1.1 or 1.0)


def _seconds(times: pd.Series) -> Any:
    return times.to_numpy().astype("datetime64[s]").astype(np.int64).astype(np.float64)


def _axes(frame: Frame, unit: str) -> str:
    parts = [f'<path class="axis" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>']
    for value in nice(frame.low, frame.high):
        y = float(frame.y(value))
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(
            f'<text class="tick" x="{LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end">{wording.number(value)}</text>'
        )
    for time, label in time_ticks(frame.first, frame.last):
        x = float(frame.x(time))
        parts.append(f'<path class="axis" d="M{x:.1f} {HEIGHT - BOTTOM}v4"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{label}</text>')
    if unit:
        parts.append(f'<text class="tick" x="{LEFT - 46}" y="{TOP - 11}">{escape(wording.units(unit))}</text>')
    return "".join(parts)


def nice(low: float, high: float, most: int = 5) -> list[float]:
    """Return round values between two ends, for the marks of an axis.

    Examples
    --------
    >>> nice(0, 2.9)
    [0.0, 1.0, 2.0]
    """
    step = 10 ** math.floor(math.log10((high - low) / most))
    step = next(step * each for each in (1, 2, 5, 10) if (high - low) / (step * each) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def time_ticks(first: float, last: float) -> list[tuple[float, str]]:
    """Return round times between two ends [seconds], with their labels: months, else days, else hours.

    Examples
    --------
    >>> [label for _, label in time_ticks(0, 86400 * 100)]
    ['Jan 1970', 'Feb', 'Mar', 'Apr']
    """
    start, end = pd.Timestamp(first, unit="s"), pd.Timestamp(last, unit="s")
    days = (last - first) / 86400
    if days > 45:
        times = pd.date_range(start.normalize().replace(day=1), end, freq="MS")
        times = times[times >= start]
        times = times[:: max(1, math.ceil(len(times) / 8))]
        labels = [
            f"{wording.month(t)} {t.year}" if i == 0 or t.month == 1 else wording.month(t) for i, t in enumerate(times)
        ]
    elif days > 2:
        times = pd.date_range(start.ceil("D"), end, freq=f"{max(1, math.ceil(days / 7))}D")
        labels = [f"{wording.month(t)} {t.day}" for t in times]
    else:
        times = pd.date_range(start.ceil("h"), end, freq=f"{max(1, math.ceil(days * 24 / 7))}h")
        labels = [f"{t:%H:%M}" for t in times]
    return [(t.timestamp(), label) for t, label in zip(times, labels, strict=True)]


def _limit(frame: Frame, limit: Any) -> str:
    low, high, dash = limit.limit_low, limit.limit_high, DASHES.get(limit.statistic, "2 3")
    if low != high and math.isfinite(low) and math.isfinite(high):
        top, bottom = float(frame.y(high)), float(frame.y(low))
        band = (
            f'<rect class="band" x="{LEFT}" y="{top:.1f}" width="{WIDTH - LEFT - RIGHT}" height="{bottom - top:.1f}"/>'
        )
        return band + _line(frame, low, dash) + _line(frame, high, dash)
    return _line(frame, low if math.isfinite(low) else high, dash)


def _line(frame: Frame, value: float, dash: str) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="limit" d="M{LEFT} {float(frame.y(value)):.1f}H{WIDTH - RIGHT}"{dashed}/>'


def _labels(frame: Frame, limits: list[Any]) -> list[str]:
    """Return the names of the limits at the right, moved apart where they would touch."""
    wanted = []
    for each in limits:
        end = each.limit_high if math.isfinite(each.limit_high) else each.limit_low
        name = f"{short(each.statistic)} {wording.allowed(each.operator, each.limit_low, each.limit_high)}".strip()
        wanted.append((float(frame.y(end)), name))
    placed, floor = [], TOP - 4.0
    for y, text in sorted(wanted):
        floor = max(y, floor + 12)
        placed.append(_label(floor, text))
    return placed


def short(statistic: str) -> str:
    """Return the name of a statistic as it fits beside a line.

    Examples
    --------
    >>> short("24-hour average"), short("instantaneous")
    ('24-hour', '')
    """
    names = {"instantaneous": "", "daily maximum": "daily", "monthly average": "monthly"}
    return names.get(statistic, statistic.removesuffix(" average"))


def _label(y: float, text: str) -> str:
    return f'<text class="name" x="{WIDTH - RIGHT + 6}" y="{y + 3.5:.1f}">{escape(text)}</text>'


def _spans(frame: Frame, points: _Points) -> str:
    """Draw averages over many days as what they are: lines over their days, bands where they are intervals."""
    parts = []
    edges = (frame.x(points.first), frame.x(points.last), frame.y(points.high), frame.y(points.low))
    ends = zip(*(each.tolist() for each in edges), (points.low == points.high).tolist(), points.verdict, strict=True)
    for x1, x2, top, bottom, exact, verdict in ends:
        kind = KINDS.get(verdict, "within")
        if exact:
            parts.append(f'<path class="span {kind}" d="M{x1 + 1:.1f} {top:.1f}H{x2 - 1:.1f}"/>')
        else:
            size = f'width="{max(x2 - x1 - 2, 1):.1f}" height="{max(bottom - top, 1):.1f}"'
            parts.append(f'<rect class="span {kind}" x="{x1 + 1:.1f}" y="{top:.1f}" {size}/>')
        if verdict in SYMBOLS:
            parts.append(_symbol(verdict, (x1 + x2) / 2, top, up=True))
    return "".join(parts)


KINDS: Final = {"exceeds": "over", "undetermined": "doubt", "not evaluated": "unjudged"}
SYMBOLS: Final = ("exceeds", "undetermined")
RING: Final = "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0"
"""An open dot, for a value that is an interval, such as a non-detect."""


def _marks(frame: Frame, points: _Points, limits: list[Any]) -> str:
    """Draw values of a day or a moment: dots, bars for intervals, triangles and diamonds."""
    low, high, verdict, x = points.low, points.high, points.verdict, frame.x(points.first)
    y, interval = frame.y(np.where(np.isfinite(high), high, low)), low != high
    tops, bottoms = frame.y(high[interval]), frame.y(low[interval])
    bars = "".join(f"M{a:.1f} {b:.1f}V{c:.1f}" for a, b, c in zip(x[interval], bottoms, tops, strict=True))
    hollow = interval & ~np.isin(verdict, SYMBOLS)
    rings = "".join(f"M{a:.1f} {b:.1f}{RING}" for a, b in zip(x[hollow], y[hollow], strict=True))
    plain = ~interval & ~np.isin(verdict, SYMBOLS)
    dots = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x[plain], y[plain], strict=True))
    lower = max((each.limit_low for each in limits if each.bound == "lower"), default=math.nan)
    drawn = (("bars", bars), ("rings", rings), ("dots", dots))
    parts = [f'<path class="{name}" d="{path}"/>' for name, path in drawn if path]
    shown = np.flatnonzero(np.isin(verdict, SYMBOLS)).tolist()
    parts += [_symbol(verdict[i], float(x[i]), float(y[i]), up=not high[i] < lower) for i in shown]
    return "".join(parts)


def _symbol(verdict: str, x: float, y: float, *, up: bool) -> str:
    """Return a triangle that points away from the limit, or a diamond."""
    if verdict == "exceeds":
        s = -1 if up else 1
        return f'<path class="over" d="M{x:.1f} {y + s * 5:.1f}l5 {-s * 9}h-10z"/>'
    return f'<path class="doubt" d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>'


def _as_row(limit: Any, unit: str) -> Any:
    return SimpleNamespace(**limit._asdict() | {"unit": unit, "level": ""})


def _svg(inner: str, name: str, title: str, description: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}</desc>{inner}</svg>'
    )
