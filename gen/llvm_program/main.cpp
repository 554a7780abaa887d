// phasebit-llvm: reads requests from standard input, answers them on standard output, until there
// are no more (gen/llvm/worker.h). It is a program of its own because LLVM ends the process where
// its backend cannot go on.
#include "gen/llvm_program/compiler.h"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>

namespace {

using phasebit::llvm_program::Answer;
using phasebit::llvm_program::Request;

// "compile BYTES CPU PTX OPT SHORT NAME", then the bytes.
bool read_request(std::istream& in, Request& request) {
  std::string line, word;
  if (!std::getline(in, line)) return false;
  std::istringstream words(line);
  std::size_t bytes = 0;
  if (!(words >> word >> bytes >> request.cpu >> request.ptx >> request.opt >>
        request.short_pointers) ||
      word != "compile" || words.get() != ' ')
    return false;
  std::getline(words, request.name);
  request.ir.resize(bytes);
  return static_cast<bool>(in.read(request.ir.data(), static_cast<std::streamsize>(bytes)));
}

void write_part(const char* kind, const std::string& text) {
  std::printf("%s %zu\n", kind, text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void answer(const Answer& made) {
  for (const std::string& line : made.inline_asm) write_part("asm", line);
  if (made.error.empty())
    write_part("ptx", made.ptx);
  else
    write_part("error", made.error);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::puts(phasebit::llvm_program::llvm_version().data());
    return 0;
  }
  if (argc != 1) {
    std::fputs("usage: phasebit-llvm [--version]; phasebit starts it\n", stderr);
    return 2;
  }
  phasebit::llvm_program::begin();
  Request request;
  while (read_request(std::cin, request)) answer(phasebit::llvm_program::compile(request));
  return 0;
}
