#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "optimize/physical/join_method.hpp"
#include "optimize/physical/program.hpp"
#include "plan/node.hpp"
#include "plan/refusal.hpp"

namespace margay::optimize {

//! What a scan of a plan reads.
struct ScanInput {
  struct Column {
    std::shared_ptr<const storage::ColumnForm> form;
    std::shared_ptr<const storage::ColumnImage> image;  //!< null where there is none yet
  };

  uint64_t rows = 0;
  std::vector<uint64_t> ids;  //!< of its columns: plan::ScanColumn::id
  std::vector<Column> columns;
};

struct LoweringOptions {
  Shape shape = Shape::Loop;
  //! That of all joins that it can serve; without one each has what suits it.
  std::optional<JoinMethod> method = {};
  //! What the device may use: a table that would take much of it is scanned, not looked up in. With
  //! 0 all are scanned, whatever estimates say.
  uint64_t memory = UINT64_MAX;
  //! The rows of all unions are stored: kernels that go on with the rows of its inputs may read
  //! more columns than they take arguments.
  bool stores_unions = false;
};

//! Lowers `plan`, whose scans read `inputs`, to a program. Writes no code.
std::variant<std::shared_ptr<const Program>, plan::Refusal> Lower(
    const plan::NodePointer& plan, const std::vector<ScanInput>& inputs,
    const LoweringOptions& options);

}  // namespace margay::optimize
