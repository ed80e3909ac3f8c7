#pragma once

#include <string>

namespace margay::tool {

//! Margay's version, as the build was told.
std::string MargayVersion();

//! The version of the DuckDB library in this process, for example "v1.5.6".
std::string DuckDbVersion();

//! Both, for --version.
std::string VersionText();

}  // namespace margay::tool
