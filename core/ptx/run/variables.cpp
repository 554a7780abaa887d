// Where variables and parameters lie.
#include "core/base/text.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/launch.h"
#include "core/ptx/scope.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx::run {
namespace {

using base::trimmed;

// A variable or parameter: ".shared .align 128 .b8 ring[1024]".
struct Declared {
  std::string name;
  std::uint32_t align = 1, bytes = 0;  // 0: "[]"
  std::uint32_t element = 1;
  bool is_float = false;
  std::vector<std::uint32_t> counts;  // of its dimensions and its vector, the first outermost
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
  std::uint32_t width = 1;
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view head = text.substr(0, equals);
  for (std::size_t at = head.find('.'); at != std::string_view::npos; at = head.find('.', at + 1)) {
    const std::string_view word = head.substr(at + 1, 5);
    if (word == "align") {
      const std::size_t first = std::min(head.find_first_not_of(" \t", at + 6), head.size());
      const auto align = number_at(head, first, ' ');
      if (!align) return std::nullopt;
      made.align = *align;
    }
    if (word.size() < 2 || std::isdigit(static_cast<unsigned char>(word[1])) == 0) continue;
    if (word[0] == 'v') width = number_at(head, at + 2, ' ').value_or(1);
    if (std::string_view("busf").find(word[0]) == std::string_view::npos) continue;
    made.element = number_at(head, at + 2, ' ').value_or(8) / 8;
    made.is_float = word[0] == 'f';
  }
  made.align = std::max({made.align, made.element * width, 1U});
  std::string_view rest = trimmed(head.substr(0, head.find_first_of("[;,")));
  made.name = rest.substr(rest.rfind(' ') == std::string_view::npos ? 0 : rest.rfind(' ') + 1);
  if (head.find(',') != std::string_view::npos) return std::nullopt;
  std::uint64_t bytes = std::uint64_t{made.element} * width;
  for (std::size_t at = head.find('['); at != std::string_view::npos; at = head.find('[', at + 1)) {
    const bool is_open = trimmed(head.substr(at + 1)).starts_with(']');
    const auto count = is_open ? 0 : number_at(head, at + 1, ']');
    if (!count) return std::nullopt;
    bytes *= *count;
    if (bytes > 0xffffffffU) return std::nullopt;
    made.counts.push_back(*count);
  }
  if (width > 1) made.counts.push_back(width);
  made.bytes = static_cast<std::uint32_t>(bytes);
  return made;
}

std::uint32_t aligned_up(std::uint32_t at, std::uint32_t align) {
  return (at + align - 1) / align * align;
}

// The values of an initialiser (PTX ISA, initializers): nested lists, those that are left out 0.
class Initialiser {
 public:
  Initialiser(std::string_view text, const Declared& declared,
              const std::vector<SharedVariable>& variables)
      : rest_(trimmed(text)), declared_(declared), variables_(variables) {}

  // False: there is something that is not modelled. Then nothing of the variable is known.
  bool read(SharedVariable& into) {
    const bool is_list = rest_.starts_with('{');
    if (is_list != !declared_.counts.empty()) return false;
    if (!(is_list ? list(0, 0, into) : value(0, into))) return false;
    rest_ = trimmed(rest_);
    if (!rest_.empty() && rest_ != ";") return false;
    if (into.bytes == 0)
      into.bytes = aligned_up(end_, std::max(4U, stride(0))) / stride(0) * stride(0);
    into.initial.resize(aligned_up(std::max(into.bytes, end_), 8) / 4);
    into.is_initialised = true;
    return end_ <= into.bytes;
  }

 private:
  bool take(char wanted) {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Bytes of what one index of that dimension has.
  std::uint32_t stride(std::size_t dimension) const {
    std::uint32_t bytes = declared_.element;
    for (std::size_t n = dimension + 1; n < declared_.counts.size(); ++n)
      bytes *= declared_.counts[n];
    return bytes;
  }

  bool list(std::size_t dimension, std::uint32_t at, SharedVariable& into) {
    const std::uint32_t first = at, of_one = stride(dimension);
    const std::uint64_t count = declared_.counts[dimension];
    if (!take('{')) return false;
    while (!take('}')) {
      const bool is_open = dimension == 0 && count == 0;
      if (!is_open && at - first >= count * of_one) return false;
      rest_ = trimmed(rest_);
      const bool is_list = rest_.starts_with('{');
      if (is_list && (dimension + 1 == declared_.counts.size() || (at - first) % of_one != 0))
        return false;
      if (!(is_list ? list(dimension + 1, at, into) : value(at, into))) return false;
      at += is_list ? of_one : declared_.element;
      if (!take(',') && !trimmed(rest_).starts_with('}')) return false;
    }
    end_ = std::max(end_, at);
    return true;
  }

  bool value(std::uint32_t at, SharedVariable& into) {
    rest_ = trimmed(rest_);
    const std::size_t size = std::min(rest_.find_first_of(",};"), rest_.size());
    const std::string text(trimmed(rest_.substr(0, size)));
    rest_.remove_prefix(size);
    end_ = std::max(end_, at + declared_.element);
    const auto bits = declared_.is_float ? float_bits(text) : integer_bits(text);
    if (bits) return put(at, *bits, into), true;
    return address(at, text, into);
  }

  std::optional<std::uint64_t> integer_bits(const std::string& text) const {
    if (text.starts_with("0f") || text.starts_with("0F")) return float_bits(text);
    return literal_integer(text);
  }

  // "0f3f800000", "0d3ff0000000000000" or a number with or without a point.
  std::optional<std::uint64_t> float_bits(const std::string& text) const {
    char* end = nullptr;
    const bool has_bits = text.size() > 2 && text[0] == '0' &&
                          std::string_view("fFdD").find(text[1]) != std::string_view::npos;
    double number = 0;
    if (has_bits) {
      const bool is_single = text[1] == 'f' || text[1] == 'F';
      const std::uint64_t bits = std::strtoull(text.c_str() + 2, &end, 16);
      if (text.size() != (is_single ? 10 : 18) || *end != '\0') return std::nullopt;
      if (is_single == (declared_.element == 4)) return bits;
      number = is_single ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                         : std::bit_cast<double>(bits);
    } else {
      if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
        return std::nullopt;
      number = std::strtod(text.c_str(), &end);
      if (*end != '\0') return std::nullopt;
    }
    if (declared_.element == 8) return std::bit_cast<std::uint64_t>(number);
    if (declared_.element != 4) return std::nullopt;
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }

  void put(std::uint32_t at, std::uint64_t bits, SharedVariable& into) const {
    const std::uint32_t words = (at + declared_.element + 7) / 4;
    if (into.initial.size() < words) into.initial.resize(words);
    for (std::uint32_t n = 0; n < declared_.element; ++n)
      into.initial[(at + n) / 4] |= static_cast<std::uint32_t>(bits >> 8 * n & 0xff)
                                    << 8 * ((at + n) % 4);
  }

  // "table" or "generic(table)": of a variable of the file in global memory.
  bool address(std::uint32_t at, std::string text, SharedVariable& into) const {
    if (text.starts_with("generic(") && text.ends_with(')')) text = text.substr(8, text.size() - 9);
    const auto found = std::find_if(variables_.begin(), variables_.end(), [&](const auto& one) {
      return one.name == text && one.scope < 0 && one.space == Space::global && !one.constant;
    });
    if (found == variables_.end() || declared_.element != 8) return false;
    put(at, address_of_buffer(first_variable + found->offset), into);
    into.addresses.emplace_back(at, static_cast<std::int32_t>(found - variables_.begin()));
    return true;
  }

  std::string_view rest_;
  const Declared& declared_;
  const std::vector<SharedVariable>& variables_;
  std::uint32_t end_ = 0;
};

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
      const std::size_t equals = text.find('=');
      if (equals != std::string::npos &&
          !Initialiser(std::string_view(text).substr(equals + 1), *declared, program_.variables)
               .read(variable)) {
        variable.is_initialised = false;
        variable.initial.clear();
        variable.addresses.clear();
      }
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
