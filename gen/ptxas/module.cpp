#include "gen/ptxas/module.h"

#include "core/base/hash.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <gelf.h>

namespace phasebit::ptxas {

namespace {

constexpr const char* indents = " \t";

constexpr size_t none = std::string::npos;

// After the label that begins there ("L_wait:"), or none.
size_t behind_label(const std::string& line, size_t first) {
  constexpr const char* name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";
  const size_t end = line.find_first_not_of(name, first);
  if (end == none || end == first || line[end] != ':' || line.compare(end, 2, "::") == 0)
    return none;
  return end + 1;
}

// After a directive: its semicolon, or the brace of the body that it opens.
size_t behind_directive(const std::string& line, size_t first) {
  bool quoted = false;
  for (size_t at = first; at < line.size(); ++at) {
    quoted = quoted != (line[at] == '"');
    if (!quoted && (line[at] == ';' || line[at] == '{')) return at + 1;
  }
  return none;
}

// Where the first instruction of a line begins: labels, directives, braces and comments may come
// before it, and others after. None when there is none.
size_t first_instruction(const std::string& line) {
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r{}", at)) != none) {
    if (line.compare(at, 2, "//") == 0) return none;
    if (line.compare(at, 2, "/*") == 0) {
      const size_t end = line.find("*/", at + 2);
      if (end == none) return none;
      at = end + 2;
    } else if (line[at] == '.') {
      if ((at = behind_directive(line, at)) == none) return none;
    } else if (const size_t label = behind_label(line, at); label != none) {
      at = label;
    } else {
      return at;
    }
  }
  return none;
}

// What of a line comes before its `.loc`: nothing where an instruction begins it.
size_t split_of(const std::string& line) {
  const size_t first = first_instruction(line);
  return first == none || line.find_first_not_of(indents) == first ? 0 : first;
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
  // With `.loc` right before the line's first instruction: one before a directive or label is lost,
  // and none may come before a body.
  void located(const std::string& text, ModuleLine from) {
    const size_t split = split_of(text);
    if (split != 0) line(text.substr(0, split), from);
    fmt::format_to(std::back_inserter(module_.text), ".loc 1 {} 0\n", from.statement);
    module_.lines.push_back(from);
    line(text.substr(split), from);
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
    if (line_info && executable[n])
      out.located(kernel.statements[n], from);
    else
      out.line(kernel.statements[n], from);
  }
}

// A whole file. Where each instruction's own line is asked for, the file's own `.loc` and `.file`
// would say something else: they are left out, unless they are what is wanted. Its lines keep their
// numbers for messages.
ModuleText text_as_it_is(const Kernel& kernel, bool line_info) {
  Writer out(0);
  line_info = line_info && !kernel.has_own_lines;
  const size_t lines = kernel.statements.size();
  for (size_t n = 0; n < lines; ++n) {
    const ModuleLine from{0, static_cast<int>(n) + 1};
    if (line_info && kernel.line_kinds[n] == LineKind::line_directive) continue;
    if (line_info && kernel.line_kinds[n] == LineKind::executable)
      out.located(kernel.statements[n], from);
    else
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
    const size_t first = line.find_first_not_of(indents);
    const bool opens = first != std::string::npos && line[first] == '{';
    in_body = in_body || opens;
    executable.push_back(in_body && first_instruction(line) != none);
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
  // Older kept modules have other lines there.
  const bool splits = std::any_of(kernel.statements.begin(), kernel.statements.end(),
                                  [](const std::string& line) { return split_of(line) != 0; });
  const char* const how = splits ? "split\n" : "";
  if (kernel.as_is)
    return base::content_hash(fmt::format("{}{}{}\n{}", how,
                                          kernel.has_own_lines ? "own lines\n" : "", kernel.entry,
                                          fmt::join(kernel.statements, "\n")));
  const std::string& name = kernel.entry;
  std::string text = fmt::format("{}{} {}\n", how, kernel.ptx_version, kernel.ptx_target);
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
  return base::content_hash(text);
}

namespace {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

}  // namespace

Result<std::map<std::string, std::string_view>> code_sections(std::string_view cubin) {
  constexpr std::string_view prefix = ".text.";
  elf_version(EV_CURRENT);
  // libelf takes a mutable pointer but writes nothing as long as no update is asked for.
  const std::unique_ptr<Elf, ElfEnd> elf(elf_memory(const_cast<char*>(cubin.data()), cubin.size()));
  size_t names = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getshdrstrndx(elf.get(), &names) != 0)
    return fail(Step::assemble, "ptxas wrote something that is not an ELF file ({} bytes)",
                cubin.size());
  std::map<std::string, std::string_view> sections;
  for (Elf_Scn* at = elf_nextscn(elf.get(), nullptr); at != nullptr;
       at = elf_nextscn(elf.get(), at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) continue;
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    const std::string_view section = name == nullptr ? "" : name;
    if (section.substr(0, prefix.size()) != prefix) continue;
    if (header.sh_offset > cubin.size() || header.sh_size > cubin.size() - header.sh_offset)
      return fail(Step::assemble, "section {} of a cubin is cut off", section);
    sections.emplace(section.substr(prefix.size()), cubin.substr(header.sh_offset, header.sh_size));
  }
  return sections;
}

}  // namespace phasebit::ptxas
