#pragma once

#include <filesystem>

namespace margay::tool {

//! The files that come with the program: beside it in a package, and under build/dependencies in a
//! build folder. Each function gives the first place that exists, or an empty path.

//! The program itself.
std::filesystem::path ThisProgram();

//! The generator of the TPC-H data.
std::filesystem::path FindTpchGenerator();

//! The folder of the TPC-H queries, q01.sql to q22.sql.
std::filesystem::path FindTpchQueries();

//! The folder of the SSB queries, q1.1.sql to q4.3.sql.
std::filesystem::path FindSsbQueries();

//! The folder of the programs that run other engines (bench/peers), in a checkout only.
std::filesystem::path FindPeers();

//! The loadable extension.
std::filesystem::path FindExtension();

}  // namespace margay::tool
