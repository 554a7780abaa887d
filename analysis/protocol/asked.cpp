#include "analysis/protocol/asked.h"

#include "core/ptx/scope.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::PtxStatement;

namespace {

using Origins = std::set<std::string>;

constexpr std::string_view unwritten = "a register that nothing writes";
// The head fixes the shape of the CTA and of the cluster.
constexpr std::string_view fixed_by_head[] = {"%tid",      "%ntid",     "%laneid",
                                              "%lanemask", "%cluster_", "%is_explicit_cluster"};
constexpr std::string_view spaces[] = {".shared", ".global", ".local", ".param"};

// An origin, what it does ("decides"), and the verb and role that do it: "claim -".
struct Use {
  std::string origin, what, place;
  auto operator<=>(const Use&) const = default;
};

// "%ctaid.x" of the operand that names %ctaid.
std::string with_part(std::string_view operand, const std::string& name) {
  std::size_t end = operand.find(name) + name.size();
  while (end < operand.size() && (operand[end] == '.' || ptx::in_name(operand[end]))) ++end;
  return std::string(operand.substr(operand.find(name), end - operand.find(name)));
}

bool has_address(const PtxStatement& one) {
  return std::any_of(one.operands.begin(), one.operands.end(),
                     [](const std::string& text) { return text.starts_with('['); });
}

class Asked {
 public:
  explicit Asked(const ptx::PtxFile& file) : file_(file) {
    for (const ptx::PtxFunction& one : file.functions)
      if (one.has_body) functions_.push_back({&one, ptx::scopes_of(file, one)});
    each([&](const PtxStatement& one) { find_names(one); });
    for (bool grows = true; grows;) {
      grows_ = false;
      each([&](const PtxStatement& one) { follow(one); });
      grows = grows_;
    }
    each([&](const PtxStatement& one) { use(one); });
  }

  // Each with the first statement that has it.
  std::map<std::string, std::size_t> specials;
  std::map<Use, std::size_t> uses;

 private:
  struct Function {
    const ptx::PtxFunction* function;
    ptx::PtxScopes scopes;
  };

  void each(const auto& visit) {
    for (const Function& one : functions_) {
      in_ = &one;
      for (at_ = one.function->open; at_ < one.function->close; ++at_)
        if (file_.statements[at_].parsed.part == PtxStatement::Part::instruction)
          visit(file_.statements[at_].parsed);
    }
  }

  // Of a register, by where it is declared: two blocks may have one of that name.
  std::string register_of(const std::string& name) const {
    const int scope = in_->scopes.declaring(in_->scopes.of(at_), name);
    const bool is_register = scope >= 0 && !in_->scopes.type_of(scope, name).empty() &&
                             in_->scopes.type_of(scope, name) != ".local";
    return is_register ? fmt::format("{} {} {}", in_->function->name, scope, name) : "";
  }
  bool is_parameter(const std::string& name) const {
    return in_->function->entry &&
           std::any_of(in_->function->parameters.begin(), in_->function->parameters.end(),
                       [&](const auto& one) { return one.name == name; });
  }
  bool is_special(const std::string& name) const {
    return name.starts_with('%') && in_->scopes.declaring(in_->scopes.of(at_), name) < 0;
  }

  void find_names(const PtxStatement& one) {
    for (const std::string& name : ptx::written_names(one)) written_.insert(register_of(name));
    for (const std::string& operand : one.operands)
      for (const std::string& name : ptx::names_in(operand))
        if (is_special(name)) specials.emplace(with_part(operand, name), at_);
    for (const std::string& name : ptx::call_of(one).results) written_.insert(register_of(name));
  }

  // Of a load of the entry's parameters the words that it reads, each by its offset.
  Origins of_parameter(const PtxStatement& one, std::size_t element) const {
    const std::vector<std::string> names = ptx::names_in(one.operands.back());
    if (names.empty() || !is_parameter(names.front())) return {};
    const std::string& place = one.operands.back();
    std::size_t offset = 0;
    if (const std::size_t plus = place.find('+'); plus != std::string::npos)
      std::from_chars(place.data() + plus + 1, place.data() + place.size(), offset);
    std::size_t bits = 0;
    const std::size_t digit = one.name.find_last_not_of("0123456789") + 1;
    std::from_chars(one.name.data() + digit, one.name.data() + one.name.size(), bits);
    return {parameter_of(names.front()) + fmt::format("+{}", offset + element * bits / 8)};
  }

  // By its number: compilers give it another name.
  std::string parameter_of(const std::string& name) const {
    const auto& all = in_->function->parameters;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    return fmt::format("parameter {}", found - all.begin());
  }

  Origins of(const std::string& name) const {
    if (is_parameter(name)) return {parameter_of(name)};
    if (is_special(name)) {
      const bool is_fixed = std::any_of(std::begin(fixed_by_head), std::end(fixed_by_head),
                                        [&](auto stem) { return name.starts_with(stem); });
      return is_fixed ? Origins{} : Origins{name};
    }
    const std::string row = register_of(name);
    if (row.empty()) return {};
    if (in_->function->entry && !written_.contains(row)) return {std::string(unwritten)};
    const auto found = origins_.find(row);
    return found == origins_.end() ? Origins{} : found->second;
  }
  Origins of_all(const std::vector<std::string>& names) const {
    Origins made;
    for (const std::string& name : names) made.merge(of(name));
    return made;
  }

  void add(const std::string& to, const Origins& more) {
    if (to.empty() || more.empty()) return;
    Origins& here = origins_[to];
    const std::size_t before = here.size();
    here.insert(more.begin(), more.end());
    grows_ = grows_ || here.size() != before;
  }

  // The state spaces that it may reach; all of them for a generic address.
  static std::vector<std::string> cells(const PtxStatement& one) {
    std::vector<std::string> made;
    for (const std::string_view space : spaces)
      if (one.name.find(space) != std::string::npos) made.emplace_back(space);
    if (made.empty()) made.assign(std::begin(spaces), std::end(spaces));
    return made;
  }

  void follow(const PtxStatement& one) {
    if (one.name.starts_with("ld.param") && !of_parameter(one, 0).empty()) {
      const std::vector<std::string> written = ptx::written_names(one);
      for (std::size_t n = 0; n < written.size(); ++n)
        add(register_of(written[n]), of_parameter(one, n));
      return;
    }
    Origins read = of_all(ptx::read_names(one));
    const bool is_call = ptx::is(one, isa::PtxFact::call);
    // What a call gives back, and what a function reads of its arguments.
    if (is_call) add(".param", read);
    const bool loads = ptx::is(one, isa::PtxFact::load);
    if (has_address(one))
      for (const std::string& cell : cells(one)) {
        if (!loads) add(cell, read);
        const auto found = origins_.find(cell);
        if (found != origins_.end() && (loads || ptx::is(one, isa::PtxFact::atomic)))
          read.insert(found->second.begin(), found->second.end());
      }
    for (const std::string& name : ptx::written_names(one)) add(register_of(name), read);
    if (is_call)
      for (const std::string& name : ptx::call_of(one).results) add(register_of(name), read);
  }

  void note(const std::vector<std::string>& names, const std::string& what) {
    for (const std::string& origin : of_all(names)) uses.emplace(Use{origin, what, place()}, at_);
  }

  // "" where no heading says it.
  std::string place() const {
    const int heading = file_.statements[at_].heading;
    if (heading < 0) return "";
    const ptx::PtxHeading& one = file_.headings[static_cast<std::size_t>(heading)];
    return fmt::format("{} {}", one.verb, one.role.empty() ? "-" : one.role);
  }

  void use(const PtxStatement& one) {
    const std::string_view stem = ptx::stem_of(one);
    note(ptx::names_in(one.guard), "decides");
    if ((stem == "selp" || stem == "slct") && !one.operands.empty())
      note(ptx::names_in(one.operands.back()), "decides");
    if (stem == "brx") note(ptx::names_in(one.operand(0)), "decides");
    if (one.name.starts_with("ld.param")) return;
    std::string space;
    for (const std::string_view part : spaces)
      if (space.empty() && one.name.find(part) != std::string::npos) space = part;
    // What is stored decides nothing yet: it is followed through memory.
    const std::size_t results = ptx::written_names(one).empty() ? 0 : 1;
    const bool has_effect =
        (results == 0 || has_address(one)) && stem != "red" && !ptx::is(one, isa::PtxFact::store) &&
        !ptx::is(one, isa::PtxFact::load) && !ptx::is(one, isa::PtxFact::atomic) &&
        !ptx::is(one, isa::PtxFact::call);
    for (std::size_t n = results; n < one.operands.size(); ++n) {
      const bool is_address = one.operands[n].starts_with('[');
      if (is_address || has_effect)
        note(ptx::names_in(one.operands[n]),
             fmt::format("is in {} of {}{}", is_address ? "the address" : "an operand", stem,
                         space));
    }
  }

  const ptx::PtxFile& file_;
  std::vector<Function> functions_;
  const Function* in_ = nullptr;
  std::size_t at_ = 0;
  std::set<std::string> written_;
  std::map<std::string, Origins> origins_;  // of registers and state spaces
  bool grows_ = false;
};

// What ptxas is told of a kernel's registers and loops.
struct Bounds {
  std::map<std::string, std::string> of_registers;  // ".maxnreg": "16"
  std::size_t rolled = 0;                           // .pragma "nounroll"
  std::set<std::string> loops;                      // labels that a branch goes back to
};

Bounds bounds_of(const ptx::PtxFile& file) {
  Bounds made;
  const auto take = [&](const PtxStatement& one) {
    for (const char* name : {".maxnreg", ".minnctapersm", ".maxnctapersm"})
      if (one.name == name)
        made.of_registers[name] = fmt::format("{}", fmt::join(one.operands, ","));
    if (one.name == ".pragma" && one.operand(0).find("nounroll") != std::string::npos)
      ++made.rolled;
  };
  for (const ptx::PtxFunction* entry : file.entries()) {
    for (const std::size_t at : entry->directives) take(file.statements[at].parsed);
    std::set<std::string> labels;
    for (std::size_t at = entry->open; at < entry->close; ++at) {
      const PtxStatement& one = file.statements[at].parsed;
      if (one.part == PtxStatement::Part::label) labels.insert(one.name);
      if (ptx::stem_of(one) == "bra" && labels.contains(one.operands.back()))
        made.loops.insert(one.operands.back());
      take(one);
    }
  }
  return made;
}

void compare_bounds(const ptx::PtxFile& own, const ptx::PtxFile& wanted,
                    std::vector<std::string>& found) {
  const Bounds said = bounds_of(own), usual = bounds_of(wanted);
  const auto text_of = [](const Bounds& bounds, const std::string& name) {
    const auto at = bounds.of_registers.find(name);
    return at == bounds.of_registers.end() ? "no " + name : name + " " + at->second;
  };
  for (const char* name : {".maxnreg", ".minnctapersm", ".maxnctapersm"})
    if (text_of(said, name) != text_of(usual, name))
      found.push_back(fmt::format("it has {}, the template of its key {}", text_of(said, name),
                                  text_of(usual, name)));
  // A loop that is unrolled by hand, or is not there, needs none.
  if (said.rolled < usual.rolled && said.loops.size() >= usual.loops.size())
    found.push_back(
        fmt::format("{} times .pragma \"nounroll\" in {} loops, in the template of its "
                    "key {} times in {}",
                    said.rolled, said.loops.size(), usual.rolled, usual.loops.size()));
}

std::string sentence(const ptx::PtxFile& file, std::size_t at, const std::string& what) {
  std::string text = ptx::plain_text(file.statements[at].text);
  while (text.ends_with(';')) text.pop_back();
  return fmt::format("{}: '{}': {}, and not in the template of its key",
                     file.place(file.statements[at]), text, what);
}

}  // namespace

std::vector<std::string> asked_beyond(const ptx::PtxFile& own, const ptx::PtxFile& wanted) {
  const Asked asked(own), usual(wanted);
  std::vector<std::string> found;
  for (const auto& [name, at] : asked.specials)
    if (!usual.specials.contains(name)) found.push_back(sentence(own, at, name + " is read"));
  // By what they do, and the statement: decisions first.
  std::map<std::pair<std::string, std::size_t>, std::string> unusual;
  for (const auto& [use, at] : asked.uses) {
    const bool is_usual = std::any_of(usual.uses.begin(), usual.uses.end(), [&](const auto& one) {
      return one.first.origin == use.origin && one.first.what == use.what &&
             (use.place.empty() || one.first.place == use.place);
    });
    if (is_usual) continue;
    std::string& origins = unusual[{use.what, at}];
    origins += (origins.empty() ? "" : ", ") + use.origin;
  }
  for (const auto& [use, origins] : unusual)
    found.push_back(sentence(own, use.second, origins + " " + use.first));
  compare_bounds(own, wanted, found);
  return found;
}

}  // namespace phasebit::protocol
