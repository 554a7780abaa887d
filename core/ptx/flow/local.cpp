#include "core/ptx/flow/local.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

namespace phasebit::ptx::flow {

using base::starts_with_any;

namespace {

std::optional<long> number_in(std::string text) {
  std::erase(text, ' ');
  if (text.starts_with("+-")) text.erase(0, 1);
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 0);
  return *end == '\0' ? std::optional(number) : std::nullopt;
}

// Of "ld.local.v2.u32" 8; 0 where the opcode does not say.
int bytes_of(std::string_view opcode) {
  int vector = 1, bits = 0;
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t next = opcode.find('.', dot + 1);
    const std::string word(
        opcode.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    if (word == "v2" || word == "v4" || word == "v8") vector = word[1] - '0';
    const bool type =
        word.size() > 1 && std::string_view("bsuf").find(word[0]) != std::string::npos;
    if (type && std::isdigit(static_cast<unsigned char>(word[1])) != 0)
      bits = std::atoi(word.c_str() + 1);
    dot = next;
  }
  return vector * bits / 8;
}

class LocalFinder {
 public:
  LocalFinder(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes)
      : file_(file), function_(function), scopes_(scopes) {}

  PtxLocalUses find() {
    find_single_writes();
    PtxLocalUses uses{find_own(), {}};
    find_lent(uses);
    return uses;
  }

 private:
  PtxLocals find_own() const {
    PtxLocals found;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      const PtxStatement& statement = at(i);
      if (statement.part != PtxStatement::Part::instruction || statement.operands.size() != 2)
        continue;
      const bool loads = is(statement, isa::PtxFact::load),
                 stores = is(statement, isa::PtxFact::store);
      if (!loads && !stores) continue;
      const auto address = address_of(statement.operand(loads ? 1 : 0));
      const int bytes = bytes_of(statement.name);
      if (!address || bytes == 0) continue;
      const auto place = place_of(name_at(i, address->base), address->offset, 0);
      if (!place) continue;
      for (long byte = place->second; byte < place->second + bytes; ++byte)
        found[i].emplace_back(place->first.first, fmt::format("{}[{}]", place->first.second, byte));
    }
    return found;
  }

  void find_lent(PtxLocalUses& uses) const {
    std::map<PtxName, PtxName> lent;  // parameters that hold an address, and of which variable
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      const PtxStatement& statement = at(i);
      if (is(statement, isa::PtxFact::store) && is(statement, isa::PtxFact::parameter) &&
          statement.operands.size() == 2) {
        const auto place = place_of(name_at(i, statement.operand(1)), 0, 0);
        const auto parameter = address_of(statement.operand(0));
        if (place && parameter) lent[name_at(i, parameter->base)] = place->first;
      }
      for (const std::string& argument : call_of(statement).arguments) {
        const auto known = lent.find(name_at(i, argument));
        const auto place = place_of(name_at(i, argument), 0, 0);
        if (known == lent.end() && !place) continue;
        lend(known == lent.end() ? place->first : known->second, uses, i);
      }
    }
  }

  static void lend(const PtxName& variable, PtxLocalUses& uses, std::size_t call) {
    std::set<PtxName> bytes;
    for (const auto& [statement, names] : uses.own)
      for (const PtxName& name : names)
        if (name.first == variable.first && name.second.starts_with(variable.second + "["))
          bytes.insert(name);
    std::vector<PtxName>& all = uses.lent[call];
    all.insert(all.end(), bytes.begin(), bytes.end());
  }

  using Place = std::pair<PtxName, long>;
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  PtxName name_at(std::size_t i, const std::string& name) const {
    return {scopes_.declaring(scopes_.of(i), name), name};
  }

  void find_single_writes() {
    for (std::size_t i = function_.open + 1; i < function_.close; ++i)
      for (const std::string& name : written_names(at(i))) {
        const auto [known, first] = writes_.emplace(name_at(i, name), i);
        if (!first) known->second = none;
      }
  }

  // Where base + offset points; a chain of registers ends somewhere, unless a loop makes a circle.
  std::optional<Place> place_of(const PtxName& base, long offset, int depth) const {
    if (depth > most_steps) return std::nullopt;
    if (base.first >= 0 && scopes_.type_of(base.first, base.second) == ".local")
      return Place{base, offset};
    const auto written = writes_.find(base);
    if (written == writes_.end() || written->second == none) return std::nullopt;
    const PtxStatement& made = at(written->second);
    if (!made.guard.empty() || made.operands.size() < 2) return std::nullopt;
    if (starts_with_any(made.name, {"add."}) && made.operands.size() == 3) {
      const auto number = number_in(made.operand(2));
      if (!number) return std::nullopt;
      offset += *number;
    } else if (!starts_with_any(made.name, {"mov.", "cvta.local.", "cvta.to.local."})) {
      return std::nullopt;
    }
    return place_of(name_at(written->second, made.operand(1)), offset, depth + 1);
  }

  static constexpr std::size_t none = 0;
  static constexpr int most_steps = 64;
  const PtxFile& file_;
  const PtxFunction& function_;
  const PtxScopes& scopes_;
  std::map<PtxName, std::size_t> writes_;
};

}  // namespace

std::optional<PtxAddress> address_of(std::string_view operand) {
  if (!operand.starts_with('[') || operand.find_first_of(",{") != std::string_view::npos)
    return std::nullopt;
  const std::string inner(operand.substr(1, operand.find(']') - 1));
  const std::size_t plus = inner.find_first_of("+-", 1);
  PtxAddress address{inner.substr(0, plus), 0};
  std::erase(address.base, ' ');
  if (plus == std::string::npos) return address;
  const auto offset = number_in(inner.substr(plus));
  if (!offset) return std::nullopt;
  address.offset = *offset;
  return address;
}

PtxLocalUses locals_of(const PtxFile& file, const PtxFunction& function, const PtxScopes& scopes) {
  return LocalFinder(file, function, scopes).find();
}

}  // namespace phasebit::ptx::flow
