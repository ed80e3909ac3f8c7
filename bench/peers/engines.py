"""The engines that Margay is compared with.

Each takes a folder with one Parquet file per table into its own storage, and then runs SQL. A
`run` returns the rows of the answer: turning them into Python objects is part of no measured time,
so `run` gives a handle, and `rows` what it holds.
"""

import importlib.metadata
import pathlib
import tempfile


def tables_of(folder):
    """Names and files of the tables in `folder`."""
    return [(path.stem, str(path)) for path in sorted(pathlib.Path(folder).glob("*.parquet"))]


class Engine:
    """Its `package` is what PyPI calls it."""

    package = ""

    def version(self):
        return importlib.metadata.version(self.package)

    def load(self, folder, threads):
        raise NotImplementedError

    def run(self, sql):
        """The whole answer, as the engine itself holds it."""
        raise NotImplementedError

    def rows(self, answer):
        """The rows of an answer, each a tuple."""
        raise NotImplementedError


class Hyper(Engine):
    package = "tableauhyperapi"

    def load(self, folder, threads):
        import tableauhyperapi as hyper

        self.files = tempfile.TemporaryDirectory()
        self.process = hyper.HyperProcess(
            telemetry=hyper.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU,
            parameters={
                "log_dir": self.files.name,
                "hard_concurrent_query_thread_limit": str(threads),
            },
        )
        self.connection = hyper.Connection(
            self.process.endpoint,
            self.files.name + "/data.hyper",
            hyper.CreateMode.CREATE_AND_REPLACE,
        )
        for name, file in tables_of(folder):
            self.connection.execute_command(
                f"CREATE TABLE {name} AS SELECT * FROM external('{file}', FORMAT => 'parquet')"
            )

    def run(self, sql):
        return self.connection.execute_list_query(sql)

    def rows(self, answer):
        return [tuple(row) for row in answer]


class DataFusion(Engine):
    package = "datafusion"

    def load(self, folder, threads):
        import datafusion

        config = datafusion.SessionConfig().with_target_partitions(threads)
        self.context = datafusion.SessionContext(config)
        for name, file in tables_of(folder):
            self.context.register_parquet("parquet_" + name, file)
            self.context.sql(f"CREATE TABLE {name} AS SELECT * FROM parquet_{name}").collect()

    def run(self, sql):
        return self.context.sql(sql).collect()

    def rows(self, answer):
        return [tuple(row.values()) for batch in answer for row in batch.to_pylist()]


class Polars(Engine):
    package = "polars"

    def load(self, folder, threads):
        import os

        os.environ["POLARS_MAX_THREADS"] = str(threads)
        import polars

        self.context = polars.SQLContext(
            {name: polars.read_parquet(file).lazy() for name, file in tables_of(folder)}
        )

    def run(self, sql):
        return self.context.execute(sql).collect()

    def rows(self, answer):
        return answer.rows()


class ChDb(Engine):
    package = "chdb"

    def load(self, folder, threads):
        import chdb.session

        self.session = chdb.session.Session()
        for name, file in tables_of(folder):
            self.session.query(
                f"CREATE TABLE {name} ENGINE = MergeTree ORDER BY tuple() AS "
                f"SELECT * FROM file('{file}', Parquet)"
            )
        self.session.query(f"SET max_threads = {threads}")
        # As the other engines have it.
        self.session.query("SET join_use_nulls = 1")

    def run(self, sql):
        return self.session.query(sql, "Arrow")

    def rows(self, answer):
        import pyarrow

        table = pyarrow.ipc.open_file(pyarrow.py_buffer(answer.bytes())).read_all()
        return [tuple(row.values()) for row in table.to_pylist()]


ENGINES = {"hyper": Hyper, "datafusion": DataFusion, "polars": Polars, "chdb": ChDb}
