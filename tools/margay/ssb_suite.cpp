#include "ssb_suite.hpp"

#include "program_files.hpp"
#include "ssb_data.hpp"
#include "ssb_generator.hpp"

namespace margay::tool {

SsbSuite::SsbSuite()
    : BenchmarkSuite("ssb", "SSB",
                     {"1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "3.1", "3.2", "3.3", "3.4", "4.1",
                      "4.2", "4.3"},
                     FindSsbQueries()) {}

double SsbSuite::LargestScale() const {
  return SsbGenerator::kLargestScale;
}

std::unique_ptr<BenchmarkData> SsbSuite::DataIn(const std::filesystem::path& database,
                                                double scale) const {
  return std::make_unique<SsbData>(database, scale);
}

std::string SsbSuite::QueryFile(const std::string& query) const {
  return "q" + query + ".sql";
}

}  // namespace margay::tool
