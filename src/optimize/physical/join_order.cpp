#include "optimize/physical/join_order.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "optimize/estimate/selectivity.hpp"
#include "optimize/estimate/uniqueness.hpp"
#include "optimize/rewrite/uncompressed.hpp"
#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

namespace {

//! Rows of a build side that are filtered in a scan in the time in which one is looked up by its
//! number to be filtered then. Measured on two cores: with 1.1 rows a scan is faster, with 1.3 it
//! is not.
constexpr double kRowsPerLookup = 1.2;

//! Rows of a table that are scanned in the time in which one is found in a chain of rows that have
//! one key: those lie apart, and each leads to the next. Measured on two cores: a scan takes 1.5 to
//! 3 ns per row, a step of a chain 60 to 100.
constexpr double kRowsPerStep = 32;

//! Anti joins leave this share of the rows at least, as far as estimates go: why else would they be
//! there.
constexpr double kLeftByAntiJoins = 0.1;

//! A table in which rows are looked up may take this part of the device's memory, with its columns
//! that the stage has and a join table of two words per row.
constexpr uint64_t kShareOfMemory = 8;
constexpr uint64_t kJoinTableRowBytes = 8;

//! Longer chains are not followed: one work-item walks all of a chain.
constexpr uint64_t kMostStepsPerRow = 64;

class JoinOrder {
 public:
  JoinOrder(Stage& stage, const std::vector<InputColumn>& columns,
            const std::vector<uint64_t>& rows, DictionaryCache& dictionaries, Shape shape,
            uint64_t memory)
      : stage_(stage),
        columns_(columns),
        rows_(rows),
        dictionaries_(dictionaries),
        looks_rows_up_(shape == Shape::Loop),
        memory_(memory),
        selectivity_(columns, dictionaries),
        expected_(rows.begin(), rows.end()) {
    for (const InputColumn& column : columns)
      expected_[column.table] = static_cast<double>(column.form->ExpectedRows());
  }

  //! Arranges the joins of a pipeline whose build sides are arranged.
  void Arrange(Pipeline& pipeline) {
    for (PipelineJoin& join : pipeline.joins) {
      Uncompress(join);
      UseOwnKeys(join);
    }
    // Estimates change with the order of joins: what would go back and forth stays.
    for (size_t left = 2 * pipeline.joins.size(); left > 0; left--) {
      const std::optional<size_t> number = FindSwap(pipeline);
      if (!number)
        break;
      SwapSides(pipeline, *number);
    }
    for (size_t i = 0; i < pipeline.joins.size(); i++) {
      if (IsIndexLookup(pipeline, i))
        stage_.spared_rows += rows_[stage_.builds[pipeline.joins[i].build].pipeline.table];
      if (ShouldLift(pipeline, i))
        Lift(pipeline, i);
    }
  }

  //! Estimates how many rows come out of a pipeline, or get to one of its joins, for each row of
  //! its table, of the most there can be.
  double ExpectedShare(const Pipeline& pipeline, size_t number) const {
    const auto rows = static_cast<double>(rows_[pipeline.table]);
    return rows == 0 ? 1 : RowsBefore(pipeline, number) / rows;
  }
  double ExpectedShare(const Pipeline& pipeline) const {
    return ExpectedShare(pipeline, pipeline.joins.size());
  }

 private:
  //! Integers of both sides that are compressed by the same distance are equal where the distances
  //! are; columns themselves are known to be unique or sorted.
  void Uncompress(PipelineJoin& join) const {
    BuildPipeline& build = stage_.builds[join.build];
    for (size_t i = 0; i < join.keys.size(); i++) {
      plan::JoinKey& key = join.keys[i];
      const plan::ExpressionPointer probe_integer = Uncompressed(key.probe);
      const plan::ExpressionPointer build_integer = Uncompressed(key.build);
      if (probe_integer == key.probe || build_integer == key.build ||
          key.probe->GetType() != key.build->GetType() ||
          !plan::SameExpression(key.probe->Operand(0).Operand(1),
                                key.build->Operand(0).Operand(1)) ||
          !AlwaysFits(*key.probe) || !AlwaysFits(*key.build))
        continue;
      key.probe = probe_integer;
      key.build = build.keys[i] = build_integer;
    }
  }

  //! Whether CAST(x - constant AS ...) is no error for any value of the column x.
  bool AlwaysFits(const plan::Expression& distance) const {
    const plan::Expression& difference = distance.Operand(0);
    const plan::Constant& constant = difference.Operand(1).GetConstant();
    if (difference.Operand(0).GetOperation() != plan::Operation::Column || constant.is_null)
      return false;
    const auto& statistics = columns_[difference.Operand(0).ColumnIndex()].form->Statistics();
    const Range distances =
        Range{statistics.min, statistics.max, true} - Range::Of(constant.integer);
    return RangeOf(difference.GetType()).Contains(distances) &&
           RangeOf(distance.GetType()).Contains(distances);
  }

  //! Where a key of a build side belongs to a table that the build side joins with by equality,
  //! what it equals there takes its place.
  void UseOwnKeys(PipelineJoin& join) const {
    BuildPipeline& build = stage_.builds[join.build];
    const auto& joins = build.pipeline.joins;
    for (size_t i = 0; i < build.keys.size(); i++) {
      for (auto inner = joins.rbegin(); inner != joins.rend(); ++inner) {
        for (const plan::JoinKey& equal : inner->keys) {
          if (inner->kind == plan::JoinKind::Inner && !equal.nulls_are_equal &&
              plan::SameExpression(*equal.build, *build.keys[i]))
            build.keys[i] = join.keys[i].build = equal.probe;
        }
      }
    }
  }

  std::optional<size_t> FindSwap(const Pipeline& pipeline) const {
    for (size_t i = 0; i < pipeline.joins.size(); i++) {
      if (ShouldSwap(pipeline, pipeline.joins[i]))
        return i;
      // The joins before a swapped one get fewer rows, and so must not raise errors.
      if (CanFault(pipeline, pipeline.joins[i]))
        return std::nullopt;
    }
    return std::nullopt;
  }

  //! Whether the expression may raise an error, in `pipeline`.
  bool CanFault(const Pipeline& pipeline, const plan::ExpressionPointer& expression) const {
    return optimize::CanFault(expression, {columns_, dictionaries_, pipeline.table});
  }
  bool CanFault(const Pipeline& pipeline,
                const std::vector<plan::ExpressionPointer>& expressions) const {
    return std::any_of(expressions.begin(), expressions.end(),
                       [&](const auto& expression) { return CanFault(pipeline, expression); });
  }
  //! The same for what a join computes of its rows.
  bool CanFault(const Pipeline& pipeline, const PipelineJoin& join) const {
    const auto key_can = [&](const plan::JoinKey& key) { return CanFault(pipeline, key.probe); };
    return std::any_of(join.keys.begin(), join.keys.end(), key_can) ||
           (join.residual && CanFault(pipeline, join.residual)) ||
           CanFault(pipeline, join.conjuncts);
  }

  bool ReadsOnly(const plan::Expression& expression, size_t table) const {
    bool reads_only = true;
    VisitColumns(expression, [&](size_t column) {
      reads_only = reads_only && stage_.column_tables[column] == table;
    });
    return reads_only;
  }

  static plan::ExpressionPointer ProbeKey(const plan::JoinKey& key) { return key.probe; }
  static plan::ExpressionPointer BuildKey(const plan::JoinKey& key) { return key.build; }

  //! Whether the keys name one row of `table` at most.
  template <typename Keys, typename Side>
  bool AreUnique(const Keys& keys, const Side& side, size_t table) const {
    return std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
      return UniqueColumn(*side(key), columns_, table) != nullptr;
    });
  }

  bool ShouldSwap(const Pipeline& pipeline, const PipelineJoin& join) const {
    const Pipeline& build = stage_.builds[join.build].pipeline;
    // A nested loop has as many steps either way, but the scanned side is what work-items share.
    if (join.kind == plan::JoinKind::Inner && join.keys.empty())
      return &join == &pipeline.joins.front() && rows_[build.table] > rows_[pipeline.table];
    if (join.kind != plan::JoinKind::Inner ||
        !std::all_of(join.keys.begin(), join.keys.end(), [&](const plan::JoinKey& key) {
          return ReadsOnly(*key.probe, pipeline.table);
        }))
      return false;
    if (AreUnique(join.keys, BuildKey, build.table))
      return LeadsToFewRows(build, build.joins.size(), pipeline, join.keys, ProbeKey);
    const auto number = static_cast<size_t>(&join - pipeline.joins.data());
    if (!AreUnique(join.keys, ProbeKey, pipeline.table) ||
        LeadsToFewRows(pipeline, number, build, join.keys, BuildKey))
      return false;
    if (rows_[build.table] >= rows_[pipeline.table])
      return true;
    // The table of a plain scan is kept, so that its rows need not be scanned.
    return CanLookUp(pipeline.table) && !ReadsText(pipeline) &&
           !CanFault(pipeline, pipeline.conjuncts) &&
           kRowsPerLookup * RowsBefore(build, build.joins.size()) <=
               static_cast<double>(rows_[pipeline.table]);
  }

  //! Whether join `number` looks rows up in a larger table that would else be scanned.
  bool IsIndexLookup(const Pipeline& pipeline, size_t number) const {
    const PipelineJoin& join = pipeline.joins[number];
    const Pipeline& build = stage_.builds[join.build].pipeline;
    return join.kind == plan::JoinKind::Inner && !join.keys.empty() &&
           AreUnique(join.keys, ProbeKey, pipeline.table) &&
           !AreUnique(join.keys, BuildKey, build.table) &&
           LeadsToFewRows(pipeline, number, build, join.keys, BuildKey);
  }

  //! Whether the rows that come to join `number` of `few`, whose table has one row for each key,
  //! find so few rows of the table of `many` by their `keys` that they had better be looked up
  //! there than scanned. The table of a plain scan is kept, so that this takes no pass over it.
  template <typename Side>
  bool LeadsToFewRows(const Pipeline& few, size_t number, const Pipeline& many,
                      const std::vector<plan::JoinKey>& keys, const Side& side) const {
    double steps = std::numeric_limits<double>::infinity();
    for (const plan::JoinKey& key : keys) {
      const plan::Expression& of_many = *side(key);
      if (of_many.GetOperation() != plan::Operation::Column || !ReadsOnly(of_many, many.table))
        return false;
      steps = std::min(steps, RowsPerValue(of_many));
    }
    return looks_rows_up_ && CanLookUp(many.table) && CanLift(many) && steps <= kMostStepsPerRow &&
           RowsBefore(few, number) * std::max(steps, 1.0) * kRowsPerStep <=
               static_cast<double>(rows_[many.table]);
  }

  //! Estimates how many rows have one value of a column.
  double RowsPerValue(const plan::Expression& column) const {
    const auto values = selectivity_.DifferentValues(column);
    return values ? static_cast<double>(columns_[column.ColumnIndex()].form->Rows()) / *values
                  : std::numeric_limits<double>::infinity();
  }

  //! Takes the conditions of an inner join out of it.
  static std::vector<plan::ExpressionPointer> TakeConditions(PipelineJoin& join) {
    return std::exchange(join.conjuncts, {});
  }

  static void Append(std::vector<plan::ExpressionPointer>& conjuncts,
                     const std::vector<plan::ExpressionPointer>& others) {
    conjuncts.insert(conjuncts.end(), others.begin(), others.end());
  }

  //! Makes the table of `pipeline` a build side, and the build side of its join `number` what is
  //! scanned. The joins before that one come behind it, and its conditions, which may need them,
  //! behind these.
  void SwapSides(Pipeline& pipeline, size_t number) const {
    PipelineJoin swapped = pipeline.joins[number];
    BuildPipeline& build = stage_.builds[swapped.build];
    const std::vector<plan::ExpressionPointer> conditions = TakeConditions(swapped);
    std::vector<PipelineJoin> joins = std::move(build.pipeline.joins);
    build.pipeline.joins.clear();
    build.keys.clear();
    for (plan::JoinKey& key : swapped.keys) {
      std::swap(key.probe, key.build);
      build.keys.push_back(key.build);
    }
    joins.push_back(std::move(swapped));
    const auto first = pipeline.joins.begin();
    const auto place = first + static_cast<ptrdiff_t>(number);
    joins.insert(joins.end(), first, place);
    Append(joins.back().conjuncts, conditions);
    joins.insert(joins.end(), place + 1, pipeline.joins.end());
    pipeline.joins = std::move(joins);
    std::swap(pipeline.table, build.pipeline.table);
    std::swap(pipeline.conjuncts, build.pipeline.conjuncts);
  }

  bool ReadsText(const Pipeline& pipeline) const {
    bool reads_text = false;
    for (const plan::ExpressionPointer& conjunct : pipeline.conjuncts)
      VisitColumns(*conjunct,
                   [&](size_t column) { reads_text = reads_text || columns_[column].IsText(); });
    return reads_text;
  }

  //! Whether the filters and joins of `build` may be worked off behind a join with it.
  bool CanLift(const Pipeline& build) const {
    // Text is searched faster in a scan. Errors must be met whether or not a row gets there.
    return !ReadsText(build) && !CanFault(build, build.conjuncts) &&
           std::none_of(build.joins.begin(), build.joins.end(),
                        [&](const auto& inner) { return CanFault(build, inner); });
  }

  bool ShouldLift(const Pipeline& pipeline, size_t number) const {
    const PipelineJoin& join = pipeline.joins[number];
    const BuildPipeline& build = stage_.builds[join.build];
    const bool is_plain = build.pipeline.conjuncts.empty() && build.pipeline.joins.empty();
    // What a nested loop looks at, it looks at for every row.
    if (join.keys.empty() || is_plain || !CanLift(build.pipeline) ||
        !std::all_of(build.keys.begin(), build.keys.end(), [&](const plan::ExpressionPointer& key) {
          return ReadsOnly(*key, build.pipeline.table);
        }))
      return false;
    double rows_per_lookup = kRowsPerLookup;
    if (join.kind != plan::JoinKind::Inner) {
      // Nothing joins within the search for a match.
      if (!build.pipeline.joins.empty() || !CanLookUp(build.pipeline.table))
        return false;
      rows_per_lookup = kRowsPerStep;
    }
    return rows_per_lookup * RowsBefore(pipeline, number) <=
           static_cast<double>(rows_[build.pipeline.table]);
  }

  //! Whether a join table of all rows of `table` can be kept, and there is room for it: not of a
  //! result on the device, which lives for one execution.
  bool CanLookUp(size_t table) const {
    uint64_t row_bytes = kJoinTableRowBytes;
    for (const InputColumn& column : columns_) {
      if (column.table != table)
        continue;
      if (column.form->Segments().empty())
        return false;
      row_bytes += column.form->Width();
    }
    return rows_[table] <= memory_ / kShareOfMemory / row_bytes;
  }

  //! Takes filters and joins out of the build side of join `number`.
  void Lift(Pipeline& pipeline, size_t number) {
    PipelineJoin& join = pipeline.joins[number];
    Pipeline& build = stage_.builds[join.build].pipeline;
    if (join.kind != plan::JoinKind::Inner) {
      stage_.spared_rows += rows_[build.table];
      join.AddConditions(std::exchange(build.conjuncts, {}));
      return;
    }
    const std::vector<plan::ExpressionPointer> conditions = TakeConditions(join);
    join.conjuncts = std::move(build.conjuncts);
    build.conjuncts.clear();
    std::vector<PipelineJoin> lifted = std::move(build.joins);
    build.joins.clear();
    Append((lifted.empty() ? join : lifted.back()).conjuncts, conditions);
    pipeline.joins.insert(pipeline.joins.begin() + static_cast<ptrdiff_t>(number) + 1,
                          lifted.begin(), lifted.end());
  }

  //! Estimates the rows that reach join `number`.
  double RowsBefore(const Pipeline& pipeline, size_t number) const {
    double rows = expected_[pipeline.table] * selectivity_.Of(pipeline.conjuncts);
    for (size_t i = 0; i < number; i++) {
      const PipelineJoin& join = pipeline.joins[i];
      const Pipeline& build = stage_.builds[join.build].pipeline;
      const double share = std::min(ExpectedShare(build), 1.0);
      if (join.keys.empty())
        rows *= join.kind == plan::JoinKind::Inner ? share * double(rows_[build.table]) : 1;
      else if (join.kind == plan::JoinKind::Anti)
        rows *= std::max(1 - share, kLeftByAntiJoins);
      else if (join.kind == plan::JoinKind::Inner)
        rows *= MatchesPerRow(join, build);
      else if (join.kind != plan::JoinKind::Left)
        rows *= share;
      rows *= selectivity_.Of(join.conjuncts);
    }
    return rows;
  }

  //! Estimates how many rows of the build side an inner join by equality finds for a row.
  double MatchesPerRow(const PipelineJoin& join, const Pipeline& build) const {
    const double share = ExpectedShare(build);
    // Rows with a key that only one of its table has share the build side's.
    for (const plan::JoinKey& key : join.keys) {
      const plan::Expression* column = OneToOneColumn(*key.probe);
      const size_t table = column == nullptr ? 0 : columns_[column->ColumnIndex()].table;
      if (column != nullptr && rows_[table] != 0 &&
          UniqueColumn(*key.probe, columns_, table) != nullptr)
        return share * static_cast<double>(rows_[build.table]) / static_cast<double>(rows_[table]);
    }
    return std::min(share, 1.0);
  }

  Stage& stage_;
  const std::vector<InputColumn>& columns_;
  const std::vector<uint64_t>& rows_;
  DictionaryCache& dictionaries_;
  //! On an H200, TPC-H's Q8 at scale 10 takes 0.6 ms scanning and 4.5 ms following.
  const bool looks_rows_up_;
  const uint64_t memory_;
  const Selectivity selectivity_;
  std::vector<double> expected_;  //!< rows of tables; estimated where `rows_` are the most
};

}  // namespace

Stage OrderJoins(Stage stage, const std::vector<InputColumn>& columns,
                 const std::vector<uint64_t>& rows, DictionaryCache& dictionaries, Shape shape,
                 uint64_t memory) {
  JoinOrder order(stage, columns, rows, dictionaries, shape, memory);
  // Each build side comes behind those it joins with, and so it stays.
  for (BuildPipeline& build : stage.builds)
    order.Arrange(build.pipeline);
  order.Arrange(stage.result);
  for (BuildPipeline& build : stage.builds)
    build.expected_share = order.ExpectedShare(build.pipeline);
  stage.expected_share = order.ExpectedShare(stage.result);
  stage.expected_scan_share = order.ExpectedShare(stage.result, 0);
  stage.SetLinks();
  return stage;
}

}  // namespace margay::optimize
