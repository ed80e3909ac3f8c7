"""The comparison of other engines' answers with DuckDB's (bench/peers/run_peer.py)."""

import datetime
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "peers"))

from run_peer import difference


class DifferenceTest(unittest.TestCase):
    def test_types_may_differ(self):
        expected = [["1", "2.50", "1995-01-02", ""], ["2", "0.333333", "1995-01-03", "x"]]
        found = [
            (2, 0.3333, datetime.datetime(1995, 1, 3), "x"),
            (1, 2.5, datetime.date(1995, 1, 2), None),
        ]
        self.assertEqual(difference(expected, found), "")

    def test_rows_are_missing(self):
        self.assertEqual(difference([["1"], ["2"]], [(1,)]), "1 rows instead of 2")

    def test_a_number_differs(self):
        self.assertIn("other rows", difference([["1", "2.5"]], [(1, 2.6)]))

    def test_a_text_differs(self):
        self.assertIn("other rows", difference([["1", "a"]], [(1, "b")]))

    def test_null_is_no_value(self):
        self.assertIn("other rows", difference([["1", "a"]], [(1, None)]))

    def test_columns_are_missing(self):
        self.assertIn("other rows", difference([["1", "a"]], [(1,)]))


if __name__ == "__main__":
    unittest.main()
