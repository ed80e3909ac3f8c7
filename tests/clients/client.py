"""Margay in the Python client; see tests/clients/run."""

import os
import pathlib

import duckdb

sql = pathlib.Path(os.environ["MARGAY_CLIENT_SQL"])
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for statement in os.environ["MARGAY_LOAD"].splitlines():
    connection.execute(statement)


def execute(query, parameters=None):
    result = connection.execute(query, parameters)
    return [column[:2] for column in result.description], result.fetchall()


def counter(name):
    return execute("SELECT value FROM margay_counters() WHERE name = ?", [name])[1][0][0]


def compare(run):
    """Expects the same of `run` with and without a device; returns that."""
    connection.execute("SET margay_mode = 'off'")
    wanted = run()
    connection.execute("SET margay_mode = 'force'")
    before = counter("device_executions")
    found = run()
    assert found == wanted, f"forced: {found}\noff: {wanted}"
    assert counter("device_executions") > before, "the device did not run"
    return found


connection.execute((sql / "lineitem.sql").read_text())
q1 = (sql / "q1.sql").read_text()
assert len(compare(lambda: execute(q1))[1]) == 4


def relations():
    """The relational API: one relation made of another, and a join of two."""
    lines = connection.table("lineitem").filter("l_shipdate < DATE '1995-01-01'")
    flags = lines.aggregate("l_returnflag, count(*) AS n, sum(l_quantity) AS q", "l_returnflag")
    orders = lines.set_alias("a").aggregate("l_orderkey, max(l_tax) AS tax", "l_orderkey")
    joined = lines.set_alias("l").join(orders.set_alias("o"), "l.l_orderkey = o.l_orderkey")
    return [
        flags.order("l_returnflag").fetchall(),
        lines.order("l_extendedprice DESC, l_orderkey, l_linenumber").limit(20).fetchall(),
        joined.aggregate("count(*), sum(tax), min(l_partkey)").fetchall(),
        connection.sql("SELECT DISTINCT l_shipmode FROM lineitem").order("l_shipmode").fetchall(),
    ]


answers = compare(relations)
assert [len(rows) for rows in answers] == [2, 20, 1, 7], answers

# A relation is computed when it is read: it has the rows of that moment.
relation = connection.table("lineitem").aggregate("count(*), max(l_orderkey)")
assert compare(lambda: relation.execute().fetchall()) == [(120000, 30000)]
connection.table("lineitem").limit(1).insert_into("lineitem")
connection.executemany("UPDATE lineitem SET l_orderkey = ? WHERE l_orderkey = ?", [[70000, 30000]])
assert compare(lambda: relation.execute().fetchall()) == [(120001, 70000)]

# Parameters change, the kernel stays.
query = "SELECT l_shipmode, count(*), sum(l_tax) FROM lineitem WHERE l_quantity < ? GROUP BY ALL ORDER BY ALL"
first = compare(lambda: execute(query, [10]))
compiled = counter("kernels_compiled")
assert compare(lambda: execute(query, [30])) != first
assert counter("kernels_compiled") == compiled

# A cursor is a connection of its own, with settings of its own.
cursor = connection.cursor()
cursor.execute("SET margay_mode = 'force'")
assert cursor.execute(q1).fetchall() == execute(q1)[1]

try:
    connection.execute("SET margay_mode = 'sometimes'")
except duckdb.Error as error:
    assert "margay_mode must be one of auto, force, off, not 'sometimes'" in str(error), error
else:
    raise AssertionError("a bad setting was taken")
print("python: passed, DuckDB", duckdb.__version__)
