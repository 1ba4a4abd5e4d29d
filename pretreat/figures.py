"""Figures of a review as matplotlib Axes: a parameter against its limits, a heat map, a time line, a hydrograph.

Shape says what colour says, so that every figure reads in grey: dots are within the limit, open dots are intervals
such as non-detects, triangles exceed, diamonds are undetermined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import dates
from matplotlib.patches import Rectangle

from pretreat import columns, parameters
from pretreat.errors import UsageError
from pretreat.report import content, series, wording

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pretreat.report import Reviewed

INK, QUIET, BLUE, RED, AMBER = "#1f2a36", "#55626f", "#3f648f", "#a61e22", "#f3c65c"
FACES: Final = {
    "exceeds": (RED, "white"),
    "undetermined": (AMBER, INK),
    "not evaluated": ("#cfd8e1", INK),
    "complies": ("#eaf3ee", INK),
    "no results": ("white", QUIET),
}
DASHES: Final = {"30-day average": "--", "monthly average": "--"}
LOG: Final = 3_000
"""More readings than this are drawn as a line."""


def plot(
    review: Reviewed,
    parameter: str,
    facility: str | None = None,
    *,
    outfall: str | None = None,
    unit: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot one parameter of one user against its limits.

    Parameters
    ----------
    review : Reviewed
        A review, or anything with its `tables`.
    parameter : str
        A parameter, as the tables name it.
    facility : str, optional
        The user; may be left out where only one has the parameter.
    outfall : str, optional
        The outfall; may be left out where only one has the parameter.
    unit : str, optional
        `mg/L` or `lb/day`, where limits are held against both; one picture never mixes them. The parameter's own unit
        unless given.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        Values as dots, non-detects and other intervals as bars with an open dot, averages as lines over their days,
        limits as lines with their names.

    Raises
    ------
    UsageError
        If no result of that parameter and user was held against a limit, or the user or outfall must be named.
    """
    chart = _chart(review, parameter, facility, outfall, unit)
    points = chart.points
    if len(points) > LOG:  # a meter's log: a line thinned to the picture, not a dot a reading
        ax = hydrograph(review, chart.key.facility, parameter, ax=ax)
        for limit in content.rows(chart.limits):
            _draw_limit(ax, limit)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
        return ax
    ax = ax or _axes(9.0, 3.6)
    long = (points["end"] - points["start"] > pd.Timedelta(days=2)).to_numpy()
    ends = chart.limits[["limit_low", "limit_high"]].to_numpy(dtype=np.float64).ravel()
    values = np.concatenate([points[["low", "high"]].to_numpy(dtype=np.float64).ravel(), ends])
    top = float(values[np.isfinite(values)].max(initial=0.0))
    _draw_spans(ax, points[long])
    _draw_points(ax, points[~long], top, chart.limits)
    for limit in content.rows(chart.limits):
        _draw_limit(ax, limit)
    if chart.key.parameter not in {"pH", "Temperature", "Flashpoint"} and top > 0:
        ax.set_ylim(0, top * 1.12)
    ax.set_ylabel(wording.units(chart.unit))
    ax.set_title(
        f"{wording.substance(parameter, chart.key.fraction)}, {wording.place(chart.key.facility, chart.key.outfall)}"
    )
    _time_axis(ax)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


def heatmap(review: Reviewed, *, ax: Axes | None = None) -> Axes:
    """Plot users against parameters, each cell with the sign and colour of its worst verdict in the period.

    Parameters
    ----------
    review : Reviewed
        A review, or anything with its `tables`.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        Cells with `▲` exceed, `?` are undetermined, `–` cannot be judged, `✓` comply, `○` have a limit and no result.
        Parameters that nobody has a result of are left out.
    """
    cells = content.matrix(review.tables)
    names = sorted(cells.loc[(cells["verdict"] != "no results").to_numpy(), "parameter"].unique(), key=str.casefold)
    cells = cells[cells["parameter"].isin(names).to_numpy()]
    places = sorted({(each.facility, each.outfall) for each in content.rows(cells)})
    spelled = [wording.place(*place) for place in places]
    beside, above = 0.085 * max(map(len, spelled), default=0), 0.085 * max(map(len, names), default=0)  # inches of text
    ax = ax or _axes(max(7.2, 0.6 + beside + 0.42 * len(names)), max(2.2, 0.9 + above + 0.36 * len(places)))
    across = {name: i for i, name in enumerate(names)}
    down = {place: i for i, place in enumerate(places)}
    for each in content.rows(cells):
        x, y = across[each.parameter], down[each.facility, each.outfall]
        face, ink = FACES[each.verdict]
        ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=face, edgecolor="#c3ccd5", linewidth=0.5))
        ax.text(x, y, wording.MARKS[each.verdict], ha="center", va="center", color=ink, fontsize=9)
    ax.set_xlim(-0.6, max(len(names), 1) - 0.4)
    ax.set_ylim(max(len(places), 1) - 0.4, -0.6)
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(places)), spelled)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    signs = "   ".join(f"{wording.MARKS[verdict]} {verdict}" for verdict in wording.MARKS)
    ax.set_title(signs, fontsize="small", color=QUIET, loc="left")
    return ax


def timeline(review: Reviewed, facility: str, *, ax: Axes | None = None) -> Axes:
    """Plot one user's exceedances, undetermined findings, slugs and due dates along time.

    Parameters
    ----------
    review : Reviewed
        A review, or anything with its `tables`.
    facility : str
        The user.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        One line a parameter or duty; averages as bars over their days.

    Raises
    ------
    UsageError
        If the tables do not know the user.
    """
    events = _events(review.tables, facility)
    lines = list(dict.fromkeys(events["line"]))
    ax = ax or _axes(8.0, max(1.8, 1.0 + 0.34 * len(lines)))
    height = {line: i for i, line in enumerate(lines)}
    for verdict, part in events.groupby("verdict", sort=False):
        y = part["line"].map(height).to_numpy()
        color, _, marker = _look(str(verdict))
        for first, last, at in zip(part["start"], part["end"], y, strict=True):
            if last - first > pd.Timedelta(days=2):
                ax.plot([first, last], [at, at], color=color, linewidth=4, alpha=0.5, solid_capstyle="butt")
        middle = part["start"] + (part["end"] - part["start"]) / 2
        ax.scatter(
            middle, y, marker=marker, color=color, edgecolor=INK, linewidth=0.6, s=52, zorder=3, label=str(verdict)
        )
    ax.set_yticks(range(len(lines)), lines)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.set_title(facility)
    ax.grid(axis="y", color="#e6ebf0")
    _time_axis(ax)
    if lines:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


def hydrograph(
    review: Reviewed,
    facility: str,
    parameter: str = "Flow",
    *,
    start: str | pd.Timestamp | None = None,
    end: str | pd.Timestamp | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the readings of a meter with the baseline, the multiple of it, and the slugs shaded.

    Parameters
    ----------
    review : Reviewed
        A review, or anything with its `tables`.
    facility, parameter : str
        Whose readings of what.
    start, end : timestamp, optional
        Draw only the readings from `start` to `end`.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        A long log is thinned to the lowest and highest reading of each pixel, so that no peak is lost. Over a gap no
        line is drawn; a reading alone is a dot.

    Raises
    ------
    UsageError
        If there are no timed readings of that parameter and user.
    """
    results = review.tables["results"]
    mine = results[(results["facility"] == facility).to_numpy() & (results["parameter"] == parameter).to_numpy()]
    mine = mine.dropna(subset=["start", "value"]).sort_values("start", kind="stable")
    first, last = pd.Timestamp(start or pd.Timestamp.min), pd.Timestamp(end or pd.Timestamp.max)
    mine = mine[((mine["start"] >= first) & (mine["start"] <= last)).to_numpy()]
    if mine.empty:
        raise UsageError(f"there are no timed readings of {parameter}.", where=facility)
    ax = ax or _axes(9.5, 3.2)
    times, values = mine["start"].to_numpy().astype("datetime64[s]"), mine["value"].to_numpy(dtype=np.float64)
    longest = series.longest(getattr(review, "provenance", {}))
    (x, y), alone = series.broken(times.astype(np.int64), values, longest)
    ax.plot(x.astype("datetime64[s]"), y, color=BLUE, linewidth=0.9, label="readings")
    ax.plot(x[alone].astype("datetime64[s]"), y[alone], ".", color=BLUE, markersize=3)
    slugs = content.table(review.tables, "slugs")
    slugs = slugs[((slugs["facility"] == facility) & (slugs["parameter"] == parameter)).to_numpy()]
    for row in content.rows(slugs[["baseline", "multiple"]].drop_duplicates()):
        baseline, level = row.baseline, row.baseline * row.multiple
        times_over = f"{wording.number(row.multiple)} × baseline {wording.number(level)}"
        for at, style, said in ((baseline, ":", f"baseline {wording.number(baseline)}"), (level, "-", times_over)):
            ax.axhline(at, color=INK, linestyle=style, linewidth=1.2, label=said)
    shown = (slugs["end"] >= mine["start"].iloc[0]) & (slugs["start"] <= mine["start"].iloc[-1])
    for verdict, part in slugs[shown.to_numpy()].groupby("verdict"):
        color, hatch = {"exceeds": (RED, ""), "undetermined": (AMBER, "//")}.get(str(verdict), ("#7d8a97", ".."))
        for i, each in enumerate(content.rows(part)):
            label = f"run: {verdict}" if i == 0 else None
            ax.axvspan(each.start, each.end, facecolor=color, alpha=0.35, hatch=hatch, edgecolor=color, label=label)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(wording.units(next((str(unit) for unit in mine["unit"] if unit), "")))
    ax.set_title(f"{parameter}, {facility}")
    _time_axis(ax)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


def _chart(
    review: Reviewed, parameter: str, facility: str | None, outfall: str | None, unit: str | None
) -> series.Chart:
    """Find the one chart that is meant."""
    names = [name for name in ("comparisons", "averages", "results") if name in review.tables]
    frames = [
        columns.complete(review.tables[name], name)[content.PLACE].astype(str).drop_duplicates() for name in names
    ]
    known = pd.concat(frames).drop_duplicates() if frames else pd.DataFrame(columns=content.PLACE)
    users = sorted(known.loc[known["parameter"] == parameter, "facility"].unique())
    if not users:
        near = ", ".join(sorted(known["parameter"].unique())[:12])
        raise UsageError(f"there is no parameter {parameter!r}.", where="plot", todo=f"There are: {near}.")
    if facility is None and len(users) > 1:
        raise UsageError(f"several users have {parameter}.", where="plot", todo=f"Name one: {', '.join(users[:12])}.")
    name = users[0] if facility is None else facility
    if name not in users:
        raise UsageError(f"{name!r} has no {parameter}.", where="plot", todo=f"These have it: {', '.join(users[:12])}.")
    chosen = known[(known["parameter"] == parameter) & (known["facility"] == name)]
    if outfall is not None:
        chosen = chosen[chosen["outfall"] == outfall]
    found = series.charts(review.tables, [series.Key(*row) for row in content.rows(chosen)])
    if len({each.key.outfall for each in found}) > 1:
        places = ", ".join(sorted({each.key.outfall for each in found}))
        raise UsageError(f"{name} has {parameter} at several outfalls.", where="plot", todo=f"Name one: {places}.")
    if not found:
        raise UsageError(
            f"no {parameter} of {name} can be drawn.", where="plot", todo="Look at `review.not_evaluated`."
        )
    have = sorted({each.unit for each in found})
    if unit is not None and unit not in have:
        raise UsageError(f"no {parameter} of {name} in {unit!r}.", where="plot", todo=f"There is: {', '.join(have)}.")
    own = parameters.get(parameter).unit
    wanted = unit if unit is not None else own if own in have else have[0]
    return max((each for each in found if each.unit == wanted), key=lambda each: len(each.points))


def _events(tables: content.Tables, facility: str) -> pd.DataFrame:
    comparisons = content.table(tables, "comparisons")
    mine = comparisons[(comparisons["facility"] == facility).to_numpy()]
    schedule = content.table(tables, "schedule")
    duties = schedule[((schedule["facility"] == facility) & schedule["due"].notna()).to_numpy()]
    slugs = content.table(tables, "slugs")
    runs = slugs[((slugs["facility"] == facility) & (slugs["verdict"] != "complies")).to_numpy()]
    if mine.empty and duties.empty and runs.empty:
        raise UsageError(f"the review has no user {facility!r}.", where="timeline")
    found = pd.concat([content.for_people(mine, verdict) for verdict in ("exceeds", "undetermined")])
    parts = [
        found.assign(line=found["parameter"], start=found["period_start"], end=found["period_end"]),
        runs.assign(line="slug: " + runs["parameter"]),
        duties.assign(
            line=[shortened(subject) for subject in duties["subject"]], start=duties["due"], end=duties["due"]
        ),
    ]
    names = ["line", "start", "end", "verdict"]
    return pd.concat([part[names] for part in parts if len(part)] or [parts[0][names]], ignore_index=True)


def shortened(text: str, most: int = 44) -> str:
    """Return a text cut at a word, with a sign that it was cut.

    Examples
    --------
    >>> shortened("Repeat the sampling and submit it within 30 days", 20)
    'Repeat the sampling…'
    """
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + "…"


def _look(verdict: str) -> tuple[str, str, str]:
    """Return colour, edge and marker of a verdict."""
    looks = {"exceeds": (RED, RED, "^"), "undetermined": (AMBER, "#6b4a00", "D"), "late": (RED, RED, "X")}
    return looks.get(verdict, (BLUE, BLUE, "o"))


def _draw_points(ax: Axes, points: pd.DataFrame, top: float, limits: pd.DataFrame) -> None:
    low, high = points["low"].to_numpy(dtype=np.float64), points["high"].to_numpy(dtype=np.float64)
    shown, verdict = np.where(np.isfinite(high), high, low), points["verdict"].to_numpy()
    start, interval = points["start"].to_numpy(), low != high
    if interval.any():
        ax.vlines(start[interval], low[interval], np.minimum(high[interval], top * 1.1), color=BLUE, linewidth=1.2)
    lower = limits.loc[(limits["bound"] == "lower").to_numpy(), "limit_low"].max() if len(limits) else np.nan
    plain = ~np.isin(verdict, ["exceeds", "undetermined"])
    over, down = verdict == "exceeds", high < lower
    for chosen, label, marker, face, edge, size in (
        (plain & ~interval, "within the limit", "o", BLUE, BLUE, 16),
        (plain & interval, "interval, such as a non-detect", "o", "white", BLUE, 18),
        (over & ~down, "exceeds", "^", RED, RED, 46),
        (over & down, "under the lower limit", "v", RED, RED, 46),
        (verdict == "undetermined", "undetermined", "D", AMBER, "#6b4a00", 34),
    ):
        if chosen.any():
            ax.scatter(
                start[chosen],
                shown[chosen],
                marker=marker,
                facecolor=face,
                edgecolor=edge,
                s=size,
                label=label,
                zorder=3,
            )


def _draw_spans(ax: Axes, points: pd.DataFrame) -> None:
    """Draw averages over many days as lines over their days, as bands where they are intervals."""
    for verdict, part in points.groupby("verdict", sort=False):
        color, edge, marker = _look(str(verdict))
        ends = part["start"].to_numpy(), part["end"].to_numpy()
        low, high = part["low"].to_numpy(dtype=np.float64), part["high"].to_numpy(dtype=np.float64)
        ax.hlines(high, *ends, color=edge, linewidth=2.4, alpha=0.8)
        for first, last, bottom, top in zip(*ends, low, high, strict=True):
            if bottom < top < np.inf:
                ax.fill_between([first, last], bottom, top, color=color, alpha=0.3, linewidth=0)
        if verdict in {"exceeds", "undetermined"}:
            middle = part["start"] + (part["end"] - part["start"]) / 2
            label = f"{part['statistic'].iloc[0]!s} {verdict!s}"
            ax.scatter(middle, high, marker=marker, facecolor=color, edgecolor=edge, s=46, zorder=4, label=label)


def _draw_limit(ax: Axes, limit: Any) -> None:
    ends = sorted({end for end in (limit.limit_low, limit.limit_high) if np.isfinite(end)})
    label = f"{limit.statistic}: {wording.allowed(limit.operator, limit.limit_low, limit.limit_high)}, {limit.cite}"
    for i, end in enumerate(ends):
        ax.axhline(
            end, color=INK, linewidth=1.3, linestyle=DASHES.get(limit.statistic, "-"), label=label if i == 0 else None
        )
    if len(ends) > 1:
        ax.axhspan(ends[0], ends[1], color=INK, alpha=0.12, linewidth=0)


def _axes(width: float, height: float) -> Axes:
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _time_axis(ax: Axes) -> None:
    locator: Any = dates.AutoDateLocator(maxticks=8)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
