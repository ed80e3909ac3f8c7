#include "integration/type_conversion.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "duckdb.hpp"

namespace margay::integration {
namespace {

TEST(TypeConversion, RoundTrips) {
  using duckdb::LogicalType;
  const std::vector<LogicalType> types = {
      LogicalType::BOOLEAN,       LogicalType::TINYINT,         LogicalType::SMALLINT,
      LogicalType::INTEGER,       LogicalType::BIGINT,          LogicalType::HUGEINT,
      LogicalType::UTINYINT,      LogicalType::USMALLINT,       LogicalType::UINTEGER,
      LogicalType::UBIGINT,       LogicalType::UHUGEINT,        LogicalType::DECIMAL(4, 1),
      LogicalType::DECIMAL(9, 0), LogicalType::DECIMAL(18, 18), LogicalType::DECIMAL(38, 2),
      LogicalType::DATE,          LogicalType::TIMESTAMP,       LogicalType::FLOAT,
      LogicalType::DOUBLE,        LogicalType::VARCHAR};
  for (const LogicalType& type : types) {
    ASSERT_TRUE(ToPlanType(type).has_value()) << type.ToString();
    EXPECT_EQ(ToLogicalType(*ToPlanType(type)), type);
  }
  const std::vector<LogicalType> others = {LogicalType::TIME,
                                           LogicalType::INTERVAL,
                                           LogicalType::BLOB,
                                           LogicalType::UUID,
                                           LogicalType::TIMESTAMP_TZ,
                                           LogicalType::TIMESTAMP_S,
                                           LogicalType::TIMESTAMP_MS,
                                           LogicalType::TIMESTAMP_NS,
                                           LogicalType::BIT,
                                           LogicalType::SQLNULL,
                                           LogicalType::LIST(LogicalType::INTEGER),
                                           LogicalType::VARCHAR_COLLATION("NOCASE"),
                                           LogicalType::JSON()};
  for (const LogicalType& type : others) {
    EXPECT_FALSE(ToPlanType(type).has_value()) << type.ToString();
  }
}

TEST(TypeConversion, Constants) {
  EXPECT_TRUE(ToConstant(duckdb::Value(duckdb::LogicalType::INTEGER)).is_null);
  EXPECT_EQ(ToConstant(duckdb::Value::BOOLEAN(true)).integer, 1);
  EXPECT_EQ(ToConstant(duckdb::Value::TINYINT(-5)).integer, -5);
  EXPECT_EQ(ToConstant(duckdb::Value::UBIGINT(~uint64_t{0})).integer, Int128{~uint64_t{0}});
  EXPECT_EQ(ToConstant(duckdb::Value::DECIMAL(int64_t{-1234}, 15, 2)).integer, -1234);
  EXPECT_EQ(ToConstant(duckdb::Value::DATE(duckdb::date_t(19'000))).integer, 19'000);
  EXPECT_EQ(ToConstant(duckdb::Value::FLOAT(0.5F)).real, 0.5);
  EXPECT_EQ(ToConstant(duckdb::Value("text")).text, "text");
  for (const Int128 value : {kInt128Min, Int128{-1}, Int128{0}, kInt128Max}) {
    EXPECT_EQ(ToInt128(ToHugeint(value)), value);
    EXPECT_EQ(ToConstant(duckdb::Value::HUGEINT(ToHugeint(value))).integer, value);
  }
}

}  // namespace
}  // namespace margay::integration
