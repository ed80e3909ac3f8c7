#include "optimize/physical/verify_program.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace margay::optimize {

namespace {

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Program& program) : program_(program) {}

  void Verify() const {
    for (size_t number = 0; number < program_.tables.size(); number++)
      VerifyTable(number);
    for (size_t number = 0; number < program_.sinks.size(); number++)
      VerifySink(number);
    for (size_t number = 0; number < program_.pipelines.size(); number++)
      VerifyPipeline(number);
    Check(program_.result < program_.sinks.size(), "the program", "has no result");
    const SinkKind kind = program_.sinks[program_.result].kind;
    Check(kind != SinkKind::JoinBuild && kind != SinkKind::MaterialisedRows,
          NameOf("sink", program_.result), "is the answer, but gives the host no rows");
  }

 private:
  static std::string NameOf(const char* what, size_t number) {
    return std::string(what) + " " + std::to_string(number);
  }

  static void Check(bool is_right, const std::string& subject, const std::string& problem) {
    if (!is_right)
      throw std::logic_error("VerifyProgram: " + subject + " " + problem);
  }

  void VerifyTable(size_t number) const {
    const ProgramTable& table = program_.tables[number];
    const std::string name = NameOf("table", number);
    Check(!table.scan || !table.sink, name, "is a scan of the plan and the content of a sink");
    Check(!table.sink || *table.sink < program_.sinks.size(), name, "reads a sink that is missing");
    Check(!table.sink || !program_.sinks[*table.sink].columns.empty(), name,
          "reads a sink that leaves no columns");
  }

  void VerifySink(size_t number) const {
    const ProgramSink& sink = program_.sinks[number];
    const std::string name = NameOf("sink", number);
    Check(!sink.pipelines.empty(), name, "is fed by no pipeline");
    for (size_t pipeline : sink.pipelines) {
      Check(pipeline < program_.pipelines.size() && program_.pipelines[pipeline].sink == number,
            name, "names a pipeline that feeds another one");
      const auto& lowered = program_.pipelines[pipeline].lowered->sink;
      const bool is_of_kind =
          sink.kind == SinkKind::JoinBuild ? std::holds_alternative<JoinBuildSink>(lowered)
          : sink.kind == SinkKind::SingleResult || sink.kind == SinkKind::GroupTable
              ? std::holds_alternative<GroupSink>(lowered)
              : std::holds_alternative<RowSink>(lowered);
      Check(is_of_kind, name, "is fed by a pipeline whose kernel ends in another kind of sink");
      const LoweredPipeline& first = *program_.pipelines[sink.pipelines[0]].lowered;
      Check(pipeline == sink.pipelines[0] || sink.kind == SinkKind::MaterialisedRows ||
                first.EndsLike(*program_.pipelines[pipeline].lowered),
            name, "is fed by pipelines that give it different things");
    }
  }

  void VerifyPipeline(size_t number) const {
    const ProgramPipeline& pipeline = program_.pipelines[number];
    const LoweredPipeline& lowered = *pipeline.lowered;
    const std::string name = NameOf("pipeline", number);
    Check(pipeline.sink < program_.sinks.size(), name, "feeds a sink that is missing");
    const std::vector<size_t>& feeders = program_.sinks[pipeline.sink].pipelines;
    Check(std::find(feeders.begin(), feeders.end(), number) != feeders.end(), name,
          "feeds a sink that does not name it");
    Check(lowered.table < program_.tables.size() && program_.tables[lowered.table].IsStored(), name,
          "scans a table that is missing");
    for (const InputColumn& column : lowered.columns)
      Check(column.table == lowered.table, name, "scans a column of another table");
    for (const InputColumn& column : lowered.joined_columns)
      Check(program_.tables[column.table].IsStored(), name, "reads a column that is not stored");
    if (const auto* groups = std::get_if<GroupSink>(&lowered.sink);
        groups && groups->layout.shared) {
      for (const SharedGroups::Row& row : groups->layout.shared->rows)
        Check(program_.tables[row.table].IsStored(), name,
              "holds rows of a table that is not stored");
    }
    for (const LoweredPipeline::Join& join : lowered.joins)
      VerifyJoin(join, name);
    for (size_t read : program_.SinksReadBy(number)) {
      const std::vector<size_t>& before = program_.sinks[read].pipelines;
      Check(std::all_of(before.begin(), before.end(), [&](size_t other) { return other < number; }),
            name, "reads a sink that is not complete before it");
    }
  }

  void VerifyJoin(const LoweredPipeline::Join& join, const std::string& name) const {
    Check(join.build < program_.sinks.size() &&
              program_.sinks[join.build].kind == SinkKind::JoinBuild,
          name, "joins with a sink that builds no join table");
    const auto& build = std::get<JoinBuildSink>(
        program_.pipelines[program_.sinks[join.build].pipelines[0]].lowered->sink);
    Check(build.table.table == join.table.table && build.table.slots == join.table.slots &&
              build.table.Method() == join.table.Method(),
          name, "asks another join table than its sink builds");
  }

  const Program& program_;
};

}  // namespace

void VerifyProgram(const Program& program) {
  ProgramVerifier(program).Verify();
}

}  // namespace margay::optimize
