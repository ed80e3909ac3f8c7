#!/usr/bin/env python3
"""usage: draw_chart.py RESULTS.json CHART.svg

Draws the times of all engines for each query, as `margay bench --json` writes them, as bars on a
logarithmic scale."""

import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    names = list(rows[0].get("peers_ms") or {})
    engines = {
        "Margay": [row["margay_ms"] for row in rows],
        "DuckDB " + rows[0]["duckdb_version"].lstrip("v"): [row["duckdb_ms"] for row in rows],
    }
    for name in names:
        engines[name] = [row["peers_ms"][name] for row in rows]

    figure, axes = pyplot.subplots(figsize=(12, 4.5))
    width = 0.85 / len(engines)
    for number, (name, times) in enumerate(engines.items()):
        places = [query + number * width for query, time in enumerate(times) if time is not None]
        axes.bar(places, [time for time in times if time is not None], width, label=name)
    axes.set_yscale("log")
    axes.set_ylabel("milliseconds, hot")
    axes.set_xticks(
        [query + 0.4 for query in range(len(rows))], [f"Q{row['query']}" for row in rows]
    )
    axes.set_title(
        f"{rows[0]['suite']} at scale {rows[0]['scale']:g}, {rows[0]['threads']} threads, "
        f"{rows[0]['device']}"
    )
    axes.legend(ncols=len(engines), loc="upper left", fontsize="small")
    figure.tight_layout()
    # Without the time of drawing, so that the same results give the same file.
    figure.savefig(sys.argv[2], metadata={"Date": None})


if __name__ == "__main__":
    main()
