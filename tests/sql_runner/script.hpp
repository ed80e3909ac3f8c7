//! Test files: a dialect of sqllogictest (DuckDB's), read into blocks.
//!
//! A block is a command line and the lines up to the next empty line; a line that starts with `#`
//! is a comment. Commands:
//!
//!   statement ok [forced]      the SQL succeeds; runs once, with Margay off unless `forced`
//!   statement error            the SQL fails with a message that holds the text after `----`
//!   query TYPES [nosort|rowsort|valuesort] [float] [anywhere] [LABEL]
//!                              runs with Margay off, then in force mode on every device and shape:
//!                              names, types and rows must agree, and be those after `----`, if any
//!                              (columns separated by tabs, NULL, (empty) for an empty string).
//!                              TYPES has one letter per column, or is `*`. `float` allows FLOAT
//!                              and DOUBLE columns a relative difference of 1e-9. The counters must
//!                              show that a device ran, unless it says `anywhere`. Queries with one
//!                              label have one result.
//!   error                      the query fails, with the same message off and forced, which holds
//!                              the text after `----`, if any
//!
//! Lines before a block, for that block alone:
//!
//!   connection NAME            runs it on another connection
//!   stays REGEX                force mode refuses the query with a message that matches; auto mode
//!                              gives the answer of DuckDB
//!
//! Lines that stand alone:
//!
//!   database NAME              reopens with a database file ${directory}/NAME
//!   restart                    closes the database and opens it again
//!   tails N                    margay_tail_rows from here on; 0 at the beginning
//!   memory LIMIT/OWN           margay_device_memory from here on: LIMIT, or OWN on a device with
//!                              memory of its own, where tables and results count too
//!   require EXTENSION          leaves the rest of the file out where DuckDB lacks the extension
//!   mode skip | mode unskip    leaves out what lies between
//!   loop NAME FIRST END, foreach NAME VALUE..., endloop
//!                              repeats the lines between with ${NAME} replaced; may be nested
//!
//! ${directory} is a folder of the test file's own, empty at the beginning.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace margay::test {

enum class BlockKind {
  Statement,
  StatementError,
  Query,
  Error,
  Database,
  Restart,
  Tails,
  Memory,
  Require
};

enum class SortMode { None, Rows, Values };

struct Block {
  BlockKind kind = BlockKind::Statement;
  int line = 0;
  std::string sql;
  //! What a line that stands alone says after its command.
  std::string argument;
  //! The lines after `----`.
  std::optional<std::vector<std::string>> expected;
  std::string connection;
  std::optional<std::string> stays;
  bool forced = false;

  std::string types;
  SortMode sort = SortMode::None;
  bool tolerant = false;
  bool anywhere = false;
  std::string label;
};

//! Reads a test file with loops unrolled. Throws std::runtime_error with file and line where it is
//! not well formed.
std::vector<Block> ReadScript(const std::string& path, const std::string& directory);

}  // namespace margay::test
