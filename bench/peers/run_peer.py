#!/usr/bin/env python3
"""Measures the queries of a benchmark in one of the engines that Margay is compared with.

The data folder holds a Parquet file for each table; the folder of queries holds NAME.sql and the
expected answer NAME.csv, with a header. Writes a JSON object: the engine's version, how long
loading took, and for each query the times of the hot runs in milliseconds, or a reason.
"""

import argparse
import csv
import decimal
import json
import math
import multiprocessing
import os
import pathlib
import statistics
import sys
import time

from engines import ENGINES


def number_of(cell):
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def same_cell(left, right):
    """Engines differ in types: an average may be a double or a decimal of few digits."""
    if left in (None, "") or right in (None, ""):
        return left in (None, "") and right in (None, "")
    left_number, right_number = number_of(left), number_of(right)
    if left_number is not None and right_number is not None:
        return math.isclose(left_number, right_number, rel_tol=1e-4, abs_tol=0.006)
    return str(left).split(" ")[0].strip() == str(right).split(" ")[0].strip()


def order_of(row):
    """Rows in an order that a small difference in a number does not change much."""
    return [str(cell) for cell in row if number_of(cell) is None or float(cell).is_integer()]


def difference(expected, found):
    if len(expected) != len(found):
        return f"{len(found)} rows instead of {len(expected)}"
    for left, right in zip(sorted(expected, key=order_of), sorted(found, key=order_of)):
        if len(left) != len(right) or not all(map(same_cell, left, right)):
            return f"other rows: {list(right)} instead of {list(left)}"
    return ""


def plain(row):
    return [float(cell) if isinstance(cell, decimal.Decimal) else cell for cell in row]


def expected_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def work(pipe, engine_name, arguments):
    """In a process of its own, which may crash or be ended: answers one query at a time."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.threads])
    engine = ENGINES[engine_name]()
    begin = time.perf_counter()
    engine.load(arguments.data, arguments.threads)
    pipe.send({"version": engine.version(), "load_ms": 1e3 * (time.perf_counter() - begin)})
    while True:
        name = pipe.recv()
        sql = (pathlib.Path(arguments.queries) / (name + ".sql")).read_text(encoding="utf-8")
        sql = sql.strip().rstrip(";")
        try:
            rows = [plain(row) for row in engine.rows(engine.run(sql))]
            problem = difference(
                expected_rows(pathlib.Path(arguments.queries) / (name + ".csv")), rows
            )
            times = []
            for _ in range(arguments.repeat):
                begin = time.perf_counter()
                engine.run(sql)
                times.append(1e3 * (time.perf_counter() - begin))
            pipe.send({"median_ms": statistics.median(times), "reason": problem})
        except Exception as error:  # whatever an engine throws is a result
            pipe.send({"reason": " ".join(str(error).split())[:200] or type(error).__name__})


class Worker:
    def __init__(self, arguments):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(
            target=work, args=(other, arguments.engine, arguments), daemon=True
        )
        self.process.start()
        other.close()

    def receive(self, seconds):
        """None where the process ended or takes too long."""
        try:
            return self.pipe.recv() if self.pipe.poll(seconds) else None
        except EOFError:
            return None

    def end(self):
        self.process.kill()
        self.process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engine", choices=sorted(ENGINES))
    parser.add_argument("--data", required=True)
    parser.add_argument("--queries", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds for a query's runs")
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()

    names = [path.stem for path in pathlib.Path(arguments.queries).glob("*.sql")]
    result = {"engine": arguments.engine, "queries": {}}
    worker = None
    for name in sorted(names):
        if worker is None:
            worker = Worker(arguments)
            loaded = worker.receive(3600)
            if loaded is None:
                worker.end()
                sys.exit(f"{arguments.engine} did not load the tables")
            result.update(loaded)
        worker.pipe.send(name)
        answer = worker.receive(arguments.limit)
        if answer is None:
            answer = {
                "reason": f"took more than {arguments.limit:.0f} s"
                if worker.process.is_alive()
                else "the engine's process ended"
            }
            worker.end()
            worker = None
        result["queries"][name] = answer
    if worker is not None:
        worker.end()
    pathlib.Path(arguments.output).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
