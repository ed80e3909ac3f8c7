#include "optimize/estimate/nested_loop_rows.hpp"

#include <algorithm>

namespace margay::optimize {

using plan::JoinKind;
using plan::Node;
using plan::NodeKind;

namespace {

uint64_t Product(uint64_t left, uint64_t right) {
  return right != 0 && left > UINT64_MAX / right ? UINT64_MAX : left * right;
}

//! One walk over a plan, scans in their order.
class Walk {
 public:
  explicit Walk(const std::vector<uint64_t>& rows) : next_(rows.begin()) {}

  //! The most rows that `node` gives.
  uint64_t MostRows(const Node& node) {
    switch (node.Kind()) {
      case NodeKind::Scan:
        return *next_++;
      case NodeKind::Filter:
      case NodeKind::Project:
        return MostRows(*node.Input());
      case NodeKind::Join:
        return MostRowsOfJoin(node);
      case NodeKind::Aggregate: {
        const uint64_t rows = MostRows(*node.Input());
        return node.Expressions().empty() ? 1 : rows;
      }
      case NodeKind::Order: {
        const uint64_t rows = MostRows(*node.Input());
        return std::min(rows, node.Window().limit.value_or(rows));
      }
      case NodeKind::Union: {
        const uint64_t first = MostRows(*node.Input());
        const uint64_t second = node.Build() ? MostRows(*node.Build()) : 0;
        return first > UINT64_MAX - second ? UINT64_MAX : first + second;
      }
    }
    return UINT64_MAX;
  }

  uint64_t LoopRows() const { return loop_rows_; }

 private:
  uint64_t MostRowsOfJoin(const Node& join) {
    const uint64_t probe = MostRows(*join.Input()), build = MostRows(*join.Build());
    const bool is_inner = join.GetJoinKind() == JoinKind::Inner;
    if (join.Keys().empty())
      loop_rows_ = std::max(loop_rows_, is_inner ? std::min(probe, build) : build);
    const bool gives_build = is_inner || join.GetJoinKind() == JoinKind::Left;
    return gives_build ? Product(probe, std::max<uint64_t>(build, is_inner ? 0 : 1)) : probe;
  }

  std::vector<uint64_t>::const_iterator next_;
  uint64_t loop_rows_ = 0;
};

}  // namespace

uint64_t NestedLoopRows(const Node& plan, const std::vector<uint64_t>& rows) {
  Walk walk(rows);
  walk.MostRows(plan);
  return walk.LoopRows();
}

}  // namespace margay::optimize
