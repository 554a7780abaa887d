#include "tests/analysis/sass/operands.h"

#include "analysis/flow/flow.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace phasebit::test {

using cubin::Instruction;

namespace {

// Instructions whose first operand is not a result.
const std::set<std::string_view> without_result = {
    "ST",           "STG",       "STS",           "STL",    "STAS",    "RED",       "REDG",
    "REDAS",        "BRA",       "EXIT",          "BAR",    "MEMBAR",  "ERRBAR",    "CCTL",
    "FENCE",        "BSSY",      "BSYNC",         "BREAK",  "NOP",     "CALL",      "RET",
    "WARPSYNC",     "YIELD",     "ENDCOLLECTIVE", "BMOV",   "DEPBAR",  "LDGDEPBAR", "LDGSTS",
    "NANOSLEEP",    "CGAERRBAR", "ARRIVES",       "UBLKCP", "UTMALDG", "PREEXIT",   "UCGABAR_ARV",
    "UCGABAR_WAIT", "ACQBULK",   "USETMAXREG",    "R2P"};
// Two predicates come first: the result and its complement.
const std::set<std::string_view> two_predicates = {"ISETP",  "FSETP",  "DSETP",  "PLOP3",
                                                   "HSETP2", "UISETP", "UFSETP", "UPLOP3"};
const std::set<std::string_view> loads = {"LD",  "LDG",  "LDS",   "LDL",
                                          "LDC", "LDCU", "ATOMS", "ATOMG"};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    if (text[i] != ',' || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

int base_of(std::string_view kind) {
  if (kind == "R") return 0;
  if (kind == "UR") return first_uniform;
  if (kind == "P") return first_predicate;
  return kind == "UP" ? first_uniform_predicate : -1;
}

// Registers named in a text; `.64` after one names its neighbour too.
std::vector<int> registers_in(std::string_view text) {
  std::vector<int> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_of_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_of_name(text[end])) ++end;
    std::size_t digits = end;
    while (digits > i && std::isdigit(static_cast<unsigned char>(text[digits - 1])) != 0) --digits;
    const int base = digits == end ? -1 : base_of(text.substr(i, digits - i));
    if (base >= 0) {
      found.push_back(base + std::stoi(std::string(text.substr(digits, end - digits))));
      if (base < first_predicate && text.substr(end).starts_with(".64"))
        found.push_back(found.back() + 1);
    }
    i = end;
    if (base >= 0 && text.substr(i).starts_with(".")) {  // a modifier is not a register
      ++i;
      while (i < text.size() && is_of_name(text[i])) ++i;
    }
  }
  return found;
}

bool is_register(std::string_view operand) {
  return !registers_in(operand).empty() && operand.find_first_of("[]!|-~+") == operand.npos;
}

bool is_predicate(std::string_view operand) {
  if (operand == "PT" || operand == "UPT") return true;
  return is_register(operand) && registers_in(operand).front() >= first_predicate;
}

// Registers of a result of that width.
int width_of(const Instruction& instruction) {
  if (!loads.contains(flow::opcode_stem(instruction))) return 1;
  if (instruction.opcode.find(".128") != std::string::npos) return 4;
  return instruction.opcode.find(".64") != std::string::npos ? 2 : 1;
}

// How many of the leading operands are results.
std::size_t result_count(const Instruction& instruction,
                         const std::vector<std::string_view>& operands) {
  const std::string_view stem = flow::opcode_stem(instruction);
  if (operands.empty() || without_result.contains(stem)) return 0;
  if (!is_predicate(operands[0])) return operands[0].starts_with('[') ? 0 : 1;
  if (operands.size() == 1) return 1;
  if (two_predicates.contains(stem)) return is_predicate(operands[1]) ? 2 : 1;
  if (stem == "SYNCS" || stem == "USYNCS" || stem == "ELECT") return 1;
  return operands[1].starts_with('[') || is_predicate(operands[1]) ? 1 : 2;
}

}  // namespace

RegisterUse registers_of(const Instruction& instruction) {
  RegisterUse use;
  const auto operands = split(instruction.operands);
  const std::size_t results = result_count(instruction, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::vector<int> named = registers_in(operands[i]);
    std::vector<int>& into = i < results ? use.writes : use.reads;
    into.insert(into.end(), named.begin(), named.end());
    if (i < results && !named.empty() && named.front() < first_predicate)
      for (int more = static_cast<int>(named.size()); more < width_of(instruction); ++more)
        use.writes.push_back(named.front() + more);
  }
  for (const int guard : registers_in(instruction.predicate)) use.reads.push_back(guard);
  return use;
}

}  // namespace phasebit::test
