#include "compile/sink/sink.hpp"

#include "compile/lanes_generator.hpp"

namespace margay::compile {

void Sink::WriteTile(LanesGenerator& generator, CodeBlock& block) {
  generator.WriteQuads(block);
}

}  // namespace margay::compile
