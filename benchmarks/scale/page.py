"""What was measured and estimated, as Markdown with tables, and as a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from textwrap import fill
from typing import Final

from benchmarks.command_line import machine
from benchmarks.scale.estimate import Estimate, full_clock
from benchmarks.scale.measuring import DELAYS, Measured
from benchmarks.scale.workloads import CALLS, GROUP, SECONDS, WORK
from choreomon.agent_files.wire import MAX_BYTES

COLUMNS: Final = (
    "processes",
    "workload",
    "monitors",
    "relevant events",
    "messages an event",
    "messages a process",
    "busiest",
    "bytes a message",
    "with full vectors",
    "without clocks",
    "clocks a message",
    "bytes a clock",
    "records, most",
    "latency ms",
    "formed",
    "missed",
    "wrong",
    "s",
    "MB",
)


def page(rows: Sequence[Measured], estimate: Estimate, command: str) -> str:
    """`rows`: of all runs; `command`: with which they were made."""
    growing = [row for row in rows if row.workload != "owners"]
    fan = [row for row in rows if row.workload == "owners"]
    return "\n".join(
        [
            "# Systems of up to thousands of processes",
            "",
            f"    {command}",
            "",
            _paragraph(
                f"On a machine of {machine()}, shared with other work; each run uses one core. All "
                "counts are the same on every machine. Every process works "
                f"{WORK} times and calls another one {CALLS} times within {SECONDS} s of virtual "
                f"time; messages take {DELAYS.default.least} to {DELAYS.default.most} ms."  # type: ignore[union-attr]
            ),
            "",
            _paragraph(
                f"`fixed`: a property about {GROUP} processes, in a system that grows around them. "
                f"`groups`: a property for each {GROUP} processes. *Relevant* events are those "
                "that a table mentions; messages are counted for each of them, for each process of "
                "the system, and at the monitor that sends and takes most (`busiest`). `bytes a "
                "message` are those that are sent; `with full vectors`, those of the same messages "
                "with an entry for every process in every clock. What they have without clocks is "
                "the same, and `bytes a clock` is what is left of those that are sent. `formed` is "
                "how often a property was really formed, `missed` how often nobody said so, "
                "`wrong` how often a violation was declared that was none. `s` of one core and "
                "`MB` are what the simulator needed; most seconds go into the bytes that are sent, "
                "for which every clock is coded. `none` is the application alone."
            ),
            "",
            _paragraph(
                "Rules are `sound`, whose messages can be told from the tables, and were checked: "
                "two for each owner that is asked. `precise` rules, the default elsewhere, ask "
                "each owner once about an event, and some a second time, as it comes; `pull, "
                f"precise` is run up to {_most_precise(growing):,} processes."
            ),
            "",
            *_table(COLUMNS, map(_row, growing)),
            "",
            _flat(growing),
            "",
            "![messages and bytes over the size of the system](scale.svg)",
            "",
            "## By the owners that are asked",
            "",
            _paragraph(
                f"`pull`, in a system of {fan[0].processes} processes: any of M processes begins a "
                "sequence, and one other ends it, whose monitor asks all M at each of its "
                f"{WORK} events. An inquiry and a response each: two messages for every owner."
            ),
            "",
            *_table(
                ("owners asked", "messages at one of these events", "bytes", "latency ms"),
                (
                    (
                        row.watching - 1,
                        f"{row.messages / WORK:g}",
                        f"{row.bytes / WORK:.0f}",
                        f"{row.latency_ms:.1f}",
                    )
                    for row in fan
                ),
            ),
            "",
            *_estimate(estimate),
        ]
    )


def _precise(rows: Sequence[Measured]) -> list[Measured]:
    return [row for row in rows if row.rules == "precise"]


def _most_precise(rows: Sequence[Measured]) -> int:
    return max((row.processes for row in _precise(rows)), default=0)


def _row(row: Measured) -> tuple[object, ...]:
    monitored = row.strategy != "none"
    sent = row.messages or 1
    return (
        row.processes,
        row.workload if monitored else "",
        row.monitors,
        *(
            (
                row.relevant,
                f"{row.messages / row.relevant:.2f}",
                f"{row.messages / row.processes:.2f}",
                row.busiest,
                f"{row.bytes / sent:.0f}",
                f"{row.full_bytes / sent:.0f}",
                f"{row.message_rest:.0f}",
                f"{row.clocks / sent:.2f}",
                f"{row.sent_clock:.0f}",
                f"{row.records_max:g}",
                f"{row.latency_ms:.1f}",
                row.formed,
                row.missed,
                row.wrong,
            )
            if monitored
            else ("",) * 14
        ),
        f"{row.seconds:.3f}" if row.seconds < 1 else f"{row.seconds:.1f}",
        f"{row.megabytes:.0f}",
    )


def _flat(rows: Sequence[Measured]) -> str:
    """What the table says of messages, made of its figures."""
    pull = [row for row in rows if row.monitors == "pull"]
    central = [row.busiest for row in rows if row.strategy == "central"]
    shares = sorted({round(row.messages / row.relevant, 2) for row in pull})
    busiest = sorted({row.busiest for row in pull})
    told = (
        f"Under `pull` it is {_span(shares, '.2f')} messages for a relevant event, two for each "
        "owner that is asked: how many these are is a matter of the property, not of the system. "
        f"The busiest monitor sends and takes {_span(busiest, ',d')} messages, the one of "
        f"`central` up to {max(central):,}. Of {sum(row.formed for row in pull)} formed sequences "
        f"{sum(row.missed for row in pull)} were missed, and {sum(row.wrong for row in pull)} "
        "declared violated that were not."
    )
    if precise := _precise(rows):
        alike = {(row.workload, row.processes): row for row in pull}
        pairs = [(row, alike[row.workload, row.processes]) for row in precise]
        more = sorted({round(row.messages / same.messages, 2) for row, same in pairs})
        larger = sorted({round(row.bytes / same.bytes, 1) for row, same in pairs})
        told += (
            f" With `precise` rules it is {_span(more, '.2f')} times the messages and "
            f"{_span(larger, '.1f')} times the bytes, which are evidence: records of others, each "
            "with a clock."
        )
    return _paragraph(told)


def _span(found: Sequence[float], how: str) -> str:
    """`found`: what came at any size, sorted, each once."""
    least, most = f"{found[0]:{how}}", f"{found[-1]:{how}}"
    return f"always {least}" if len(found) == 1 else f"{least} to {most}"


def _estimate(estimate: Estimate) -> list[str]:
    processes, fit, sent = estimate.processes, estimate.time_fit, estimate.clock_fit
    full = {
        full_clock(processes, 1): "full, entries below 128",
        full_clock(processes, 5): "full, entries from 65,536",
    }
    told = {"sent": "as sent, measured and continued", "given": "given, not measured"}
    return [
        f"## {processes:,} processes, on paper",
        "",
        _paragraph(
            "Nobody ran this. It takes the figures of `groups` under `pull` as they are: for each "
            f"relevant event of its own an agent sends {estimate.messages:.2f} messages and takes "
            "as many. What that is in bytes is a matter of the clocks, so it is said for several "
            "sizes of a clock. *As sent*: of a clock is sent what its receiver does not know, and "
            "how much that is depends on who talks to whom. Here a process talks to the others of "
            f"its group and, {CALLS} times in {SECONDS} s, to any process of the system, so that "
            "it hears of all of them, but seldom. In the runs above a clock took "
            f"{sent.slope:.3f} bytes for each process and {sent.rest:.0f} more (R² = "
            f"{sent.r_squared:.4f}), and the line is drawn on. Where only few of so many talk to "
            "each other a clock takes no more than among these few, and where all do all the time "
            "about half a byte for each process: [what clocks cost](clock_bytes.md). "
            "`--clock-bytes` takes any other size. For one relevant event of each agent a second:"
        ),
        "",
        *_table(
            ("bytes a clock", "that is", "bytes a message", "most clocks", "kB/s out, and in"),
            (
                (
                    f"{each.clock:,}",
                    told.get(each.source) or full[each.clock],
                    f"{each.message:,.0f}",
                    f"{each.largest:,.0f}" + (", refused" if each.refused else ""),
                    f"{each.event / 1000:,.1f}",
                )
                for each in estimate.traffic
            ),
        ),
        "",
        _paragraph(
            "`most clocks`: the message that has most of them, each of that size. *Refused*: peers "
            f"take no frame of more than {MAX_BYTES:,} bytes. It is "
            f"{estimate.milliseconds:.1f} ms of one core for each event (a message takes "
            f"{fit.rest:.3f} ms and {fit.slope * 1000:.3f} ms more for each 1,000 processes, R² = "
            f"{fit.r_squared:.4f} over the sizes above; to write clocks as they are sent is in it "
            "and most of it; to read them, network and disk are not), and "
            f"{estimate.megabytes:,.1f} MB of clocks that an agent holds at most, as long as "
            "counts are small: its own, those of records, and those that it needs to read what "
            "its peers send."
        ),
        "",
        _paragraph(
            "It rests on this: that no more owners are asked in a larger system, which is a matter "
            "of the property alone; that all else in a message stays as small; that time and "
            "bytes of clocks go on growing with the processes as they do up to the largest system "
            "that was run; and that a process watches for one property. Networks that lose "
            "messages, and agents that are restarted, are not in it."
        ),
        "",
    ]


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [
        "| " + " | ".join(columns) + " |",
        "|" + "---|" * len(columns),
        *("| " + " | ".join(map(str, row)) + " |" for row in rows),
    ]


def _paragraph(text: str, width: int = 100) -> str:
    return fill(text, width, break_long_words=False, break_on_hyphens=False)


COLOURS: Final = {
    "pull": "#0072b2",
    "pull, precise": "#cc79a7",
    "push": "#d55e00",
    "central": "#009e73",
}
STYLES: Final = {"groups": ("-", "o", 7), "fixed": ("--", "x", 7)}
FULL: Final = (":", ".", 4)
"""Of messages with full vectors."""


def picture(rows: Sequence[Measured], estimate: Estimate) -> bytes:
    """Messages an event, those of the busiest monitor, and bytes of a message, over the size of the
    system; the last one for `groups` only, both ways, and up to the size that is estimated. As
    SVG."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "choreomon"
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.6), layout="constrained")
    panels = figure.subplots(1, 3)

    def draw(
        axes: Axes,
        workload: str,
        value: Callable[[Measured], float],
        style: tuple[str, str, int],
        told: str,
    ) -> None:
        line, marker, size = style
        for monitors, colour in COLOURS.items():
            own = [row for row in rows if (row.workload, row.monitors) == (workload, monitors)]
            axes.plot(
                [row.processes for row in own],
                [value(row) for row in own],
                line,
                marker=marker,
                markersize=size,
                color=colour,
                label=f"{monitors}, {told}",
            )

    for workload, style in STYLES.items():
        draw(panels[0], workload, lambda row: row.messages / row.relevant, style, workload)
        draw(panels[1], workload, lambda row: row.busiest, style, workload)
    draw(panels[2], "groups", lambda row: row.bytes / row.messages, STYLES["groups"], "as sent")
    draw(panels[2], "groups", lambda row: row.full_bytes / row.messages, FULL, "full vectors")
    titles = (
        "messages for each relevant event",
        "messages of the busiest monitor",
        "bytes of a message in groups (+: on paper)",
    )
    for axes, title in zip(panels, titles, strict=True):
        axes.set_xscale("log")
        axes.set_xlabel("processes of the system")
        axes.set_title(title)
        axes.grid(visible=True, alpha=0.3)
    panels[0].set_ylim(bottom=0)
    handles, labels = panels[0].get_legend_handles_labels()
    more, others = panels[2].get_legend_handles_labels()
    figure.legend(
        handles + more[len(COLOURS) :],
        labels + others[len(COLOURS) :],
        loc="outside lower center",
        ncols=3,
        fontsize="small",
    )
    panels[1].set_yscale("log")
    panels[2].set_yscale("log")
    largest = max(row.processes for row in rows)
    full = full_clock(estimate.processes, 1)
    for each in estimate.traffic:
        if each.clock <= full:
            told = {"sent": "as sent", "full": "full"}.get(each.source, f"{each.clock} B a clock")
            panels[2].plot([estimate.processes], [each.message], "k+")
            panels[2].annotate(
                told,
                (estimate.processes, each.message),
                textcoords="offset points",
                xytext=(-6, 4),
                ha="right",
                fontsize="small",
            )
    panels[2].axvspan(largest, estimate.processes * 1.6, color="black", alpha=0.05)
    panels[2].set_xlim(right=estimate.processes * 1.6)
    panels[2].set_ylim(top=full * 5)
    content = BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
