"""Margay in the Python client; see tests/clients/run."""

import os
import pathlib

import duckdb

sql = pathlib.Path(os.environ["MARGAY_CLIENT_SQL"])
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
for statement in os.environ["MARGAY_LOAD"].splitlines():
    connection.execute(statement)


def rows(query):
    result = connection.execute(query)
    return [column[:2] for column in result.description], result.fetchall()


def device_executions():
    counter = "SELECT value FROM margay_counters() WHERE name = 'device_executions'"
    return rows(counter)[1][0][0]


connection.execute((sql / "lineitem.sql").read_text())
q1 = (sql / "q1.sql").read_text()

connection.execute("SET margay_mode = 'off'")
wanted = rows(q1)
before = device_executions()
connection.execute("SET margay_mode = 'force'")
found = rows(q1)
connection.execute("SET margay_mode = 'off'")
assert len(wanted[1]) == 4, wanted
assert found == wanted, f"forced: {found}\noff: {wanted}"
assert device_executions() > before, "the device did not run"

try:
    connection.execute("SET margay_mode = 'sometimes'")
except duckdb.Error as error:
    assert "margay_mode must be one of auto, force, off, not 'sometimes'" in str(error), error
else:
    raise AssertionError("a bad setting was taken")
print("python: passed, DuckDB", duckdb.__version__)
