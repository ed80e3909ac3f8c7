#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "optimize/value/node.hpp"

namespace margay::optimize {

//! Writes the nodes of a graph as text, for people and for tests: columns and tables by their
//! names, parameters as `$number`, all else as C has it or as calls. A node that several others
//! compute with is written once, and has a name from then on.
class NodeText {
 public:
  using NameOf = std::function<std::string(size_t number)>;

  //! `graph` outlives the object.
  NodeText(const NodeGraph& graph, NameOf column_name, NameOf table_name);

  std::string Of(const Node* node);
  //! The names that the texts so far use, each behind those that it uses itself: `v1`, and what it
  //! stands for.
  const std::vector<std::pair<std::string, std::string>>& Definitions() const {
    return definitions_;
  }

 private:
  std::string Write(const Node& node);
  std::string WriteCall(const std::string& function, const Node& node);
  std::string WriteLeaf(const Node& node) const;

  const NameOf column_name_;
  const NameOf table_name_;
  std::unordered_map<const Node*, size_t> uses_;
  std::unordered_map<const Node*, std::string> names_;
  std::vector<std::pair<std::string, std::string>> definitions_;
};

}  // namespace margay::optimize
