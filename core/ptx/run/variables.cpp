// Where variables and parameters lie.
#include "core/base/text.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/scope.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace phasebit::ptx::run {
namespace {

using base::trimmed;

// A variable or parameter: ".shared .align 128 .b8 ring[1024]".
struct Declared {
  std::string name;
  std::uint32_t align = 1, bytes = 0;  // 0: "[]"
};

std::optional<std::uint32_t> number_at(std::string_view text, std::size_t at, char end) {
  const std::size_t stop = std::min(text.find(end, at), text.size());
  const auto number = literal_integer(std::string(trimmed(text.substr(at, stop - at))));
  if (!number || *number > 0xffffffffU) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// Nothing where a number of it is not one, or where it is a list.
std::optional<Declared> declared_of(std::string_view text) {
  Declared made;
  std::uint32_t element = 1;
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    const std::string_view word = text.substr(at + 1, 5);
    if (word == "align") {
      const std::size_t first = std::min(text.find_first_not_of(" \t", at + 6), text.size());
      const auto align = number_at(text, first, ' ');
      if (!align) return std::nullopt;
      made.align = *align;
    }
    if (word.size() > 1 && std::string_view("busf").find(word[0]) != std::string_view::npos &&
        std::isdigit(static_cast<unsigned char>(word[1])) != 0)
      element = number_at(text, at + 2, ' ').value_or(8) / 8;
  }
  made.align = std::max({made.align, element, 1U});
  std::string_view rest = text.substr(0, text.find_first_of("[=;,"));
  rest = trimmed(rest);
  made.name = rest.substr(rest.rfind(' ') == std::string_view::npos ? 0 : rest.rfind(' ') + 1);
  if (text.substr(0, text.find('=')).find(',') != std::string_view::npos) return std::nullopt;
  std::uint64_t bytes = element;
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const bool is_open = trimmed(text.substr(at + 1)).starts_with(']');
    const auto count = is_open ? 0 : number_at(text, at + 1, ']');
    if (!count) return std::nullopt;
    bytes *= *count;
  }
  if (bytes > 0xffffffffU) return std::nullopt;
  made.bytes = static_cast<std::uint32_t>(bytes);
  return made;
}

std::uint32_t aligned_up(std::uint32_t at, std::uint32_t align) {
  return (at + align - 1) / align * align;
}

class Layout {
 public:
  Layout(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes,
         RunProgram& program)
      : file_(file), function_(function), scopes_(scopes), program_(program) {}

  // Dynamic variables all begin after the static ones.
  Status make() {
    for (const std::size_t at : file_.globals) PHASEBIT_TRY(add(at, -1));
    for (std::size_t at = function_.open; at < function_.close; ++at)
      PHASEBIT_TRY(add(at, scopes_.of(at)));
    program_.static_shared_bytes = aligned_up(program_.static_shared_bytes, dynamic_align_);
    for (SharedVariable& variable : program_.variables)
      if (variable.dynamic) variable.offset = program_.static_shared_bytes;
    return {};
  }

 private:
  // What an initialiser puts there is not known, as a launch before or the host may have stored
  // something else: nothing may depend on it.
  Status add(std::size_t at, int scope) {
    const PlacedStatement& statement = file_.statements[at];
    const std::string& name = statement.parsed.name;
    if (statement.parsed.part != PtxStatement::Part::directive) return {};
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    const std::string text = plain_text(statement.text);
    const bool is_shared = has(".shared");
    if (!is_shared && !has(".local") && !has(".global") && !has(".const")) return {};
    const auto declared = declared_of(text);
    if (!declared)
      return with_hint(
          fail(Step::assemble, "{}: {}: its size is not modelled", file_.place(statement), name),
          "docs/checker.md lists what is modelled");
    SharedVariable variable{declared->name, 0, declared->bytes, has(".extern")};
    variable.scope = scope;
    variable.align = declared->align;
    if (is_shared) {
      variable.offset = aligned_up(program_.static_shared_bytes, declared->align);
      if (!variable.dynamic) program_.static_shared_bytes = variable.offset + variable.bytes;
      if (variable.dynamic) dynamic_align_ = std::max(dynamic_align_, declared->align);
    } else if (has(".local")) {
      variable.space = Space::local;
      variable.dynamic = false;
      variable.offset = aligned_up(program_.local_bytes, declared->align);
      program_.local_bytes = variable.offset + variable.bytes;
    } else {
      variable.space = Space::global;
      variable.constant = has(".const");
      variable.dynamic = false;
      variable.offset = globals_++;
    }
    program_.variables.push_back(std::move(variable));
    return {};
  }

  const PtxFile& file_;
  const PtxFunction& function_;
  const PtxScopes& scopes_;
  RunProgram& program_;
  std::uint32_t dynamic_align_ = 16, globals_ = 0;
};

}  // namespace

std::vector<std::uint32_t> parameter_places(const PtxFunction& entry) {
  std::vector<std::uint32_t> places;
  std::uint32_t end = 0;
  for (const PtxParameter& parameter : entry.parameters) {
    const Declared declared = declared_of(parameter.text).value_or(Declared());
    places.push_back(aligned_up(end, declared.align));
    end = places.back() + declared.bytes;
  }
  places.push_back(end);
  return places;
}

Status lay_out_variables(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes,
                         RunProgram& program) {
  return Layout(file, function, scopes, program).make();
}

}  // namespace phasebit::ptx::run
