#include "gen/ptxas/module.h"

#include "core/base/hash.h"

#include <iterator>

#include <fmt/format.h>

namespace phasebit {
namespace {

constexpr const char* blanks = " \t";

// "L_wait:", also with a directive behind it ("targets: .branchtargets a, b;").
bool starts_with_label(const std::string& line, size_t first) {
  constexpr const char* name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";
  const size_t end = line.find_first_not_of(name, first);
  return end != std::string::npos && end > first && line[end] == ':' &&
         line.compare(end, 2, "::") != 0;
}

// A line that opens a block and goes on ("{ .reg .pred p;") counts by what is behind the brace.
bool is_executable(const std::string& line) {
  const size_t first = line.find_first_not_of(" \t{}");
  if (first == std::string::npos || line[first] == '.') return false;
  return !starts_with_label(line, first);
}

// The name is only what debug information shows: the source map says what its lines are.
constexpr const char* own_file_directive = ".file 1 \"phasebit\"";

class Writer {
 public:
  explicit Writer(size_t bytes) { module_.text.reserve(bytes); }
  void line(const std::string& text, ModuleLine from) {
    module_.text += text;
    module_.text += '\n';
    module_.lines.push_back(from);
  }
  void loc(int statement, ModuleLine from) {
    fmt::format_to(std::back_inserter(module_.text), ".loc 1 {} 0\n", statement);
    module_.lines.push_back(from);
  }
  ModuleText take() { return std::move(module_); }

 private:
  ModuleText module_;
};

void write_kernel(Writer& out, const Kernel& kernel, int index, bool line_info) {
  std::vector<bool> executable;
  if (line_info) executable = executable_statements(kernel.statements);
  for (size_t n = 0; n < kernel.statements.size(); ++n) {
    const ModuleLine from{index, static_cast<int>(n) + 1};
    if (line_info && executable[n]) out.loc(from.statement, from);
    out.line(kernel.statements[n], from);
  }
}

// A whole file. Where each instruction's own line is asked for, the file's own `.loc` and `.file`
// would say something else: they are left out. Its lines keep their numbers for messages.
ModuleText text_as_it_is(const Kernel& kernel, bool line_info) {
  Writer out(0);
  const size_t lines = kernel.statements.size();
  for (size_t n = 0; n < lines; ++n) {
    const ModuleLine from{0, static_cast<int>(n) + 1};
    if (line_info && kernel.line_kinds[n] == LineKind::line_directive) continue;
    if (line_info && kernel.line_kinds[n] == LineKind::executable) out.loc(from.statement, from);
    out.line(kernel.statements[n], from);
  }
  if (line_info) out.line(own_file_directive, {});
  return out.take();
}

size_t bytes_of(const std::vector<const Kernel*>& kernels, bool line_info) {
  size_t bytes = 256;
  for (const Kernel* kernel : kernels)
    for (const std::string& line : kernel->statements)
      bytes += line.size() + 1 + (line_info ? 14 : 0);
  return bytes;
}

}  // namespace

ModuleLine ModuleText::at(int line) const {
  const auto n = static_cast<size_t>(line);
  return line >= 1 && n <= lines.size() ? lines[n - 1] : ModuleLine{};
}

std::vector<bool> executable_statements(const std::vector<std::string>& statements) {
  std::vector<bool> executable;
  bool in_body = false;
  for (const std::string& line : statements) {
    const size_t first = line.find_first_not_of(blanks);
    const bool opens = first != std::string::npos && line[first] == '{';
    in_body = in_body || opens;
    executable.push_back(in_body && is_executable(line));
  }
  return executable;
}

ModuleText module_text(const std::string& ptx_version, const std::string& ptx_target,
                       const std::vector<const Kernel*>& kernels, bool line_info) {
  if (kernels.size() == 1 && kernels.front()->as_is)
    return text_as_it_is(*kernels.front(), line_info);
  Writer out(bytes_of(kernels, line_info));
  out.line(".version " + ptx_version, {});
  out.line(".target " + ptx_target, {});
  out.line(".address_size 64", {});
  if (line_info) out.line(own_file_directive, {});
  out.line(module_shared_declaration, {});
  // Without kernels it is the text that tells whether ptxas takes version, target and flags at all.
  if (!kernels.empty())
    for (const std::string& line : kernels.front()->preamble) out.line(line, {});
  for (size_t k = 0; k < kernels.size(); ++k)
    write_kernel(out, *kernels[k], static_cast<int>(k), line_info);
  return out.take();
}

std::string nameless_hash(const Kernel& kernel) {
  if (kernel.as_is)
    return content_hash(fmt::format("{}\n{}", kernel.entry, fmt::join(kernel.statements, "\n")));
  const std::string& name = kernel.entry;
  std::string text = fmt::format("{} {}\n", kernel.ptx_version, kernel.ptx_target);
  for (const std::string& line : kernel.preamble) text.append(line).push_back('\n');
  for (const std::string& line : kernel.statements) {
    size_t from = 0;
    for (size_t at = name.empty() ? std::string::npos : line.find(name); at != std::string::npos;
         at = line.find(name, from)) {
      text.append(line, from, at - from).push_back('?');
      from = at + name.size();
    }
    text.append(line, from, std::string::npos).push_back('\n');
  }
  return content_hash(text);
}

}  // namespace phasebit
