#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/type.hpp"
#include "table.hpp"

namespace margay::fuzz {

enum class LiteralRole : uint8_t { Value, Pattern, Prefix };

//! The place of a literal; each data set gives it another value.
struct LiteralSlot {
  plan::Type type;
  Cell cell;
  LiteralRole role = LiteralRole::Value;
  std::optional<std::string> column;  //!< name of the stored one whose values it should look like
};

//! An SQL expression as text with holes: pieces[0] child[0] pieces[1] child[1] ... A node without
//! children is a column or, with a slot, a literal. So a new construct needs no new kind of node.
struct SqlNode {
  std::vector<std::string> pieces;
  std::vector<SqlNode> children;
  std::optional<LiteralSlot> literal;
  //! Number of the column that this leaf is, among those that its generator knows.
  std::optional<size_t> column;

  static SqlNode ColumnLeaf(const std::string& text, size_t column);
  static SqlNode LiteralLeaf(LiteralSlot slot);
  static SqlNode Make(std::vector<std::string> pieces, std::vector<SqlNode> children);
  //! `left operation right` in parentheses.
  static SqlNode Binary(const std::string& operation, SqlNode left, SqlNode right);
  static SqlNode Cast(SqlNode operand, const plan::Type& type, bool is_try = false);

  std::string Text() const;
  //! Calls `visit` for this node and all nodes below it, parents first.
  void ForEach(const std::function<void(SqlNode&)>& visit);
};

}  // namespace margay::fuzz
