// The readers of bytes and text that others made, by name. tools/fuzz runs one of them under
// libFuzzer; corpus_test.cpp runs all of them over the committed corpus in every build.
#pragma once

#include "core/base/error.h"

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace phasebit::test {

struct FuzzReader {
  const char* name;  // of its folder in tests/fuzz/corpus
  void (*run)(std::string_view bytes);
};
std::span<const FuzzReader> fuzz_readers();
// Null for a name that is none.
const FuzzReader* find_fuzz_reader(std::string_view name);

// A refusal is of one of these steps and says what is wrong: a bug else.
void check_refusal(const Error& error, std::initializer_list<Step> steps);

// An input of several files: what follows a line "--- NAME" up to the next such line, by name.
// What comes before the first of them has the name "".
std::map<std::string, std::string> parts_of(std::string_view bytes);

// code_readers.cpp
void read_fuzzed_archive(std::string_view bytes);
void read_fuzzed_cubin(std::string_view bytes);
void read_fuzzed_fatbin(std::string_view bytes);
void read_fuzzed_life_ranges(std::string_view text);
void read_fuzzed_nvdisasm_json(std::string_view text);

// catalogue_readers.cpp
void read_fuzzed_catalogue(std::string_view bytes);
void read_fuzzed_spec(std::string_view text);
void read_fuzzed_template(std::string_view bytes);

// launch_readers.cpp
void read_fuzzed_launch_file(std::string_view text);
void read_fuzzed_launch_facts(std::string_view bytes);
void read_fuzzed_launch_notes(std::string_view text);
void read_fuzzed_manifest(std::string_view text);
void read_fuzzed_messages(std::string_view bytes);

// check_reader.cpp
void read_fuzzed_ptx_check(std::string_view text);

// ptx_readers.cpp
void read_fuzzed_ptx_file(std::string_view text);
void read_fuzzed_ptx_head(std::string_view text);
void read_fuzzed_ptx_guard(std::string_view text);

// table_readers.cpp
void read_fuzzed_claims(std::string_view text);
void read_fuzzed_gate_rules(std::string_view text);
void read_fuzzed_results(std::string_view bytes);
void read_fuzzed_store(std::string_view bytes);
void read_fuzzed_table(std::string_view text);
void read_fuzzed_toml(std::string_view text);

}  // namespace phasebit::test
