#include "pipeline/lower/spoken.h"

#include "core/base/text.h"
#include "core/ptx/statement.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace phasebit::pipeline::lower {

using render::Rendered;

namespace {

constexpr std::string_view intrinsic = "@llvm.nvvm.";

// "mbarrier.init.shared" of "call void @llvm.nvvm.mbarrier.init.shared(ptr ...)"; "" of others.
std::string called(const std::string& line) {
  const std::size_t at = line.find(intrinsic);
  if (at == std::string::npos) return {};
  const std::size_t name = at + intrinsic.size();
  return line.substr(name, line.find('(', name) - name);
}

bool is_word(std::string_view word) {
  return std::isalpha(static_cast<unsigned char>(word.front())) != 0 && word != "ptr" &&
         !word.starts_with("addrspace") && !word.starts_with("i1") && !word.starts_with("i32") &&
         !word.starts_with("i64") && word != "align";
}

// "atomicrmw add syncscope("block") release" of a line of IR that orders memory; "" of others.
std::string ordering(std::string_view line) {
  if (const std::size_t is = line.find(" = "); is != std::string_view::npos)
    line.remove_prefix(is + 3);
  constexpr std::array<std::string_view, 6> heads = {
      "atomicrmw ", "cmpxchg ", "fence ", "load atomic ", "store atomic ", "load volatile "};
  const bool orders = line.starts_with("store volatile ") ||
                      std::any_of(heads.begin(), heads.end(),
                                  [&](std::string_view head) { return line.starts_with(head); });
  if (!orders) return {};
  std::string text;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" ,"), line.size());
    if (end > 0 && is_word(line.substr(0, end)))
      text += (text.empty() ? "" : " ") + std::string(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text;
}

// What a role says of the verb; of several roles the first.
template <class Spoken>
std::vector<std::string> of_verb(const Rendered& text, const std::string& verb,
                                 const Spoken& spoken) {
  std::vector<std::string> all;
  std::string role;
  for (std::size_t n = 0; n < text.kernel.statements.size(); ++n) {
    const image::SourceLine& source = text.kernel.source[n];
    if (source.verb != verb) continue;
    std::string one = spoken(text.kernel.statements[n]);
    if (one.empty() || (!role.empty() && role != source.role)) continue;
    role = source.role;
    all.push_back(std::move(one));
  }
  return all;
}

// It computes addresses, parities and predicates, or goes elsewhere.
bool is_plain(const ptx::PtxStatement& statement, const std::set<std::string>& speaking) {
  if (statement.part != ptx::PtxStatement::Part::instruction) return true;
  if (statement.name.starts_with("ld.param")) return true;
  return !speaking.contains(statement.name.substr(0, statement.name.find('.')));
}

}  // namespace

std::vector<std::string> spoken_ir(const Rendered& ir, const std::string& verb) {
  std::vector<std::string> all;
  for (const std::string& one : of_verb(ir, verb, [](const std::string& line) {
         const std::string text(base::trimmed(line));
         const std::string name = called(text);
         return name.empty() ? ordering(text) : name;
       }))
    if (!base::contains(all, one)) all.push_back(one);
  return all;
}

std::set<std::string> speaking_opcodes(const isa::FormTable& forms) {
  std::set<std::string> opcodes = {"ld", "st", "atom", "red", "bar", "nanosleep", "createpolicy"};
  for (const std::string& family : forms.families())
    opcodes.insert(family.substr(0, family.find('.')));
  return opcodes;
}

std::vector<std::string> spoken_ptx(const Rendered& ptx, const std::string& verb,
                                    const std::set<std::string>& speaking) {
  std::vector<std::string> all, names;
  for (const std::string& line : of_verb(ptx, verb, [](const std::string& text) { return text; })) {
    ptx::PtxStatement statement = ptx::take_apart(line);
    if (is_plain(statement, speaking) || base::contains(names, statement.name)) continue;
    names.push_back(statement.name);
    statement.guard.clear();
    std::string text = ptx::put_together(statement);
    if (text.ends_with(';')) text.pop_back();
    all.push_back(std::string(base::trimmed(text)));
  }
  return all;
}

std::string shape_of(const std::vector<std::string>& ptx) {
  std::string shape;
  for (const std::string& one : ptx) {
    const ptx::PtxStatement statement = ptx::take_apart(one + ";");
    shape += statement.name;
    for (const std::string& operand : statement.operands) {
      const char first = operand.empty() ? ' ' : operand.front();
      const bool literal = std::isdigit(static_cast<unsigned char>(first)) != 0;
      shape += literal          ? " #"
               : operand == "_" ? " _"
               : first == '['   ? " []"
               : first == '{'   ? " {}"
                                : " r";
    }
    shape += ';';
  }
  return shape;
}

}  // namespace phasebit::pipeline::lower
