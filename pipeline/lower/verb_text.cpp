#include "pipeline/lower/verb_text.h"

#include "core/base/text.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::pipeline::lower {
namespace {

std::string plain(std::string_view line) {
  const std::string_view text = base::trimmed(line.substr(0, line.find("//")));
  std::string one;
  for (const char c : text)
    if (!(c == ' ' || c == '\t') || (!one.empty() && one.back() != ' ')) one += c == '\t' ? ' ' : c;
  return one;
}

// "{ .reg .pred p; add.u32 a, b, c; }" -> its statements and its braces.
void take_apart(std::string_view line, std::vector<std::string>& into) {
  if (!line.starts_with("{ ")) {
    into.emplace_back(line);
    return;
  }
  into.emplace_back("{");
  line = base::trimmed(line.substr(1, line.rfind('}') - 1));
  while (!line.empty()) {
    const size_t end = std::min(line.find(';'), line.size() - 1);
    into.emplace_back(base::trimmed(line.substr(0, end + 1)));
    line = base::trimmed(line.substr(end + 1));
  }
  into.emplace_back("}");
}

// "verb_param_1" in "ld.param.b32 %r1, [verb_param_1];": 1; -1 where it loads no parameter.
int parameter_of(const std::string& statement) {
  const size_t at = statement.find("_param_");
  if (!statement.starts_with("ld.param") || at == std::string::npos) return -1;
  return std::stoi(statement.substr(at + std::string_view("_param_").size()));
}

// "%rd1" of "ld.param.b64 %rd1, [verb_param_0];".
std::string loaded_register(const std::string& statement) {
  const size_t begin = statement.find('%');
  return statement.substr(begin, statement.find(',') - begin);
}

std::vector<std::string> argument(const std::string& what, const std::string& into) {
  if (what == "parity") return {fmt::format("mov.u32 {}, {{{{parity}}}};", into)};
  const bool empty = what == "empty_barrier", wide = into.starts_with("%rd");
  std::vector<std::string> made = {
      "mad.lo.u32 address, {{slot_offset}}, 8, {{r}}_barrier;",
      empty ? "add.u32 address, address, {{empty_offset}};" : "",
      fmt::format("{} {}, address;", wide ? "cvt.u64.u32" : "mov.u32", into)};
  std::erase(made, "");
  return made;
}

}  // namespace

std::vector<std::string> statements_of(const std::string& ptx) {
  std::vector<std::string> all;
  bool inside = false;
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    const std::string line = plain(std::string_view(ptx).substr(begin, end - begin));
    begin = end + 1;
    if (line == "}") inside = false;
    if (inside && !line.empty()) take_apart(line, all);
    if (line == "{") inside = true;
  }
  return all;
}

std::string instructions_of(const std::string& ptx) {
  std::string all;
  for (const std::string& one : statements_of(ptx)) {
    if (!one.ends_with(';') ||
        base::starts_with_any(one, {".reg", "ld.param", "ret;", "cvta", "bra.uni"}))
      continue;
    all += (all.empty() ? "" : " ") + one;
  }
  // LLVM 13 and 14 write labels without the mark that later ones begin them with.
  for (size_t at = all.find("$L__BB"); at != all.npos; at = all.find("$L__BB", at))
    all.replace(at, 6, "LBB");
  return all;
}

std::string as_kernel(const std::string& ptx, const std::string& target) {
  // From 9.1 on a store to local memory may be volatile.
  std::string kernel = fmt::format(".version 9.1\n.target {}\n.address_size 64\n", target);
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size());
    std::string line = ptx.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view text = base::trimmed(line);
    if (base::starts_with_any(text, {".version", ".target", ".address_size"})) continue;
    if (const size_t result = line.find("[func_retval0"); result != std::string::npos)
      line = "st.volatile.local.b32 [0]" + line.substr(line.find(']') + 1);
    else if (line.find(".func ") != std::string::npos)
      line = line.ends_with("()") ? ".visible .entry verb()" : ".visible .entry verb(";
    kernel += line + "\n";
  }
  return kernel;
}

std::string as_snippet(const std::string& ptx, const std::vector<std::string>& arguments,
                       const std::string& heading) {
  std::string text = heading + "{\n.reg .b32 address;\n";
  for (const std::string& one : statements_of(ptx)) {
    if (one == "ret;" || one.find("func_retval0") != std::string::npos) continue;
    const int parameter = parameter_of(one);
    if (parameter < 0 || static_cast<size_t>(parameter) >= arguments.size()) {
      text += one + "\n";
      continue;
    }
    for (const std::string& line :
         argument(arguments[static_cast<size_t>(parameter)], loaded_register(one)))
      text += line + "\n";
  }
  return text + "}\n";
}

}  // namespace phasebit::pipeline::lower
