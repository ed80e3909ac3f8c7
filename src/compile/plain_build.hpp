#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compile/pipeline.hpp"
#include "compile/row_reader.hpp"

namespace margay::compile {

//! A build side that is nothing but a scan of a table of the database, as a program of its own: its
//! columns are the keys' and numbered by themselves. So all parts that join with the table by these
//! keys have the same kernel for it.
struct PlainBuild {
  Program program;  //!< with one build side, and no result
  std::vector<InputColumn> columns;
  std::vector<uint64_t> rows;

  //! None where the build side filters, joins, or reads what is computed on the device. `columns`
  //! and `rows` are those of all tables.
  static std::optional<PlainBuild> Of(const BuildPipeline& build,
                                      const std::vector<InputColumn>& columns,
                                      const std::vector<uint64_t>& rows);
};

}  // namespace margay::compile
