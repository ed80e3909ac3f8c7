#!/bin/bash
# usage: client.sh DUCKDB FOLDER
# Margay in DuckDB's command line; see tests/clients/run. FOLDER takes the output.
set -euo pipefail
duckdb=$(realpath "$1")
cd "$2"

fail() {
  echo "cli: $*" >&2
  exit 1
}

rm -f ./*.txt ./*.sql
cp "$MARGAY_CLIENT_SQL"/*.sql .
"$duckdb" -unsigned -bail -init /dev/null -cmd "$MARGAY_LOAD" -cmd '.read lineitem.sql' -f client.sql
[ "$(wc -l <off.txt)" = 5 ] || fail "four rows and a header were expected: $(cat off.txt)"
diff off.txt forced.txt || fail "the forced answer differs"
[ "$(tail -1 after.txt)" -gt "$(tail -1 before.txt)" ] || fail "the device did not run"

refused=$("$duckdb" -unsigned -init /dev/null -cmd "$MARGAY_LOAD" -c "SET margay_mode = 'sometimes'" 2>&1) &&
  fail "a bad setting was taken"
case $refused in
  *"margay_mode must be one of auto, force, off, not 'sometimes'"*) ;;
  *) fail "another error was expected: $refused" ;;
esac
echo "cli: passed, DuckDB $("$duckdb" --version)"
