// What FindParts finds in DuckDB's optimized plans, as text: the plan of every part, the
// operators that stay above it, and the reasons for what is refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "integration/capture/find_parts.hpp"

namespace margay::integration {

//! What the hook found last.
struct Recorder : duckdb::OptimizerExtensionInfo {
  CaptureFindings findings;
};

inline void Record(duckdb::OptimizerExtensionInput& input,
                   duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  static_cast<Recorder&>(*input.info).findings = FindParts(input.context, plan);
}

inline std::string Joined(const std::vector<std::string>& items) {
  std::string result;
  for (const std::string& item : items) {
    result += (result.empty() ? "" : ", ") + item;
  }
  return result;
}

inline std::string Describe(const CaptureFindings& findings) {
  std::string result;
  for (const FoundPart& found : findings.parts) {
    result += found.part.plan->ToString() + "\n";
    if (!found.part.tails.empty()) {
      result += "tails " + Joined(found.part.tails) + "\n";
    }
    for (const CapturedTap& tap : found.part.taps) {
      result += "tap " + tap.reason + "\n";
    }
  }
  for (const FoundNote& note : findings.notes) {
    result += "note " + note.reason + "\n";
  }
  return result;
}

class CaptureTest : public testing::Test {
 protected:
  CaptureTest() : database_(nullptr), connection_(database_) {
    Run(R"(CREATE TABLE lineitem(
        l_orderkey BIGINT NOT NULL, l_partkey BIGINT NOT NULL, l_suppkey BIGINT NOT NULL,
        l_linenumber BIGINT NOT NULL, l_quantity DECIMAL(15,2) NOT NULL,
        l_extendedprice DECIMAL(15,2) NOT NULL, l_discount DECIMAL(15,2) NOT NULL,
        l_tax DECIMAL(15,2) NOT NULL, l_returnflag VARCHAR NOT NULL,
        l_linestatus VARCHAR NOT NULL, l_shipdate DATE NOT NULL, l_commitdate DATE NOT NULL,
        l_receiptdate DATE NOT NULL, l_shipinstruct VARCHAR NOT NULL,
        l_shipmode VARCHAR NOT NULL, l_comment VARCHAR NOT NULL))");
    Run(R"(INSERT INTO lineitem SELECT i, i % 200, i % 10, i % 7, 1 + i % 50, 900 + i,
        (i % 11) / 100.0, (i % 9) / 100.0, ['A', 'N', 'R'][1 + i % 3], ['F', 'O'][1 + i % 2],
        DATE '1992-01-01' + (i % 2500)::INTEGER, DATE '1992-01-01' + (i % 2400)::INTEGER,
        DATE '1992-01-01' + (i % 2300)::INTEGER, 'IN PERSON', ['AIR', 'RAIL'][1 + i % 2],
        'comment ' || i FROM range(3000) t(i))");
    Run(R"(CREATE TABLE t(
        a INTEGER, b BIGINT, c SMALLINT, h HUGEINT, ui UINTEGER, ub UBIGINT, uh UHUGEINT,
        d DECIMAL(9,3), e DECIMAL(18,4), f FLOAT, g DOUBLE, s VARCHAR, s2 VARCHAR,
        bo BOOLEAN, dt DATE, ts TIMESTAMP, tz TIMESTAMPTZ, bl BLOB,
        st STRUCT(x INTEGER, y VARCHAR), nc VARCHAR COLLATE NOCASE, en ENUM('x', 'y')))");
    Run(R"(INSERT INTO t SELECT i % 100, i, i % 10, i, i, i, i, i / 1000.0, i / 1000.0, i, i,
        's' || i % 5, 'u' || i % 3, i % 2 = 0, DATE '2020-01-01' + (i % 100)::INTEGER,
        TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR, NULL, NULL, {'x': i, 'y': 'a'}, 'a', 'x'
        FROM range(3000) t(i))");
    Run("INSERT INTO t(a) VALUES (NULL)");

    duckdb::OptimizerExtension extension;
    extension.optimize_function = Record;
    recorder_ = duckdb::make_shared_ptr<Recorder>();
    extension.optimizer_info = recorder_;
    duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(*database_.instance),
                                         extension);
  }

  void Run(const std::string& sql) {
    const auto result = connection_.Query(sql);
    ASSERT_FALSE(result->HasError()) << sql << ": " << result->GetError();
  }

  const CaptureFindings& Capture(const std::string& sql) {
    recorder_->findings = {};
    Run(sql);
    return recorder_->findings;
  }

  //! `expected` may start with a line break, for the looks of a raw string.
  void Expect(const std::string& sql, std::string_view expected) {
    if (expected.starts_with('\n')) {
      expected.remove_prefix(1);
    }
    EXPECT_EQ(Describe(Capture(sql)), expected) << sql;
  }

  //! No part has an aggregate; the operator above the first part is refused for this reason.
  void ExpectTailReason(const std::string& sql, const std::string& reason) {
    const CaptureFindings& findings = Capture(sql);
    ASSERT_FALSE(findings.parts.empty()) << sql;
    ASSERT_FALSE(findings.parts[0].part.tail_reasons.empty()) << sql;
    EXPECT_FALSE(findings.parts[0].part.has_aggregate) << sql;
    EXPECT_EQ(findings.parts[0].part.tail_reasons[0], reason) << sql;
  }

  //! DuckDB runs an operator over table data for this reason; parts read its rows, if there are
  //! any.
  void ExpectNote(const std::string& sql, const std::string& reason) {
    const CaptureFindings& findings = Capture(sql);
    for (const FoundPart& found : findings.parts) {
      EXPECT_FALSE(found.part.taps.empty()) << sql;
    }
    ASSERT_FALSE(findings.notes.empty()) << sql;
    EXPECT_EQ(findings.notes[0].reason, reason) << sql;
  }

  //! What computes `expression`, over column s, from the string of a row; empty if nothing does.
  std::string ByRow(const std::string& expression) {
    const CaptureFindings& findings = Capture("SELECT " + expression + " AS x FROM t");
    const plan::Expression& output = *findings.parts.at(0).part.plan->Expressions().at(0);
    return output.Operands().size() == 2 ? output.Operand(1).ToString() : "";
  }

  duckdb::DuckDB database_;
  duckdb::Connection connection_;
  duckdb::shared_ptr<Recorder> recorder_;
};

}  // namespace margay::integration
