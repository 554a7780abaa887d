// The space of variants as the templates folder declares it: probe x protocol x mover x work x
// axes. docs/catalogue.md describes the files.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/isa/rule.h"
#include "core/isa/version.h"
#include "gen/space/expression.h"
#include "gen/space/facts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::space {

// In the order of a variant's id.
enum class ComponentKind { probe, protocol, mover, work };
inline constexpr std::array<ComponentKind, 4> component_kinds = {
    ComponentKind::probe, ComponentKind::protocol, ComponentKind::mover, ComponentKind::work};
// The order in which the own axes of the components are in a key, and their rules are asked.
inline constexpr std::array<ComponentKind, 4> component_axis_order = {
    ComponentKind::protocol, ComponentKind::mover, ComponentKind::work, ComponentKind::probe};
std::string_view to_string(ComponentKind kind);  // also the name of the leading axis

// What `values_of` says of an axis of a compiler: an installed ptxas, the LLVM of this build, an
// edit of machine code. space::parse_compiler_values knows what these are on this machine.
inline constexpr const char* toolchain_values = "toolchains";
inline constexpr const char* llvm_values = "llvm";
inline constexpr const char* edit_values = "edits";

// What reads an axis: the templates, or a compiler of what they make. `image`: what is done to the
// code that ptxas made.
enum class ReadBy : unsigned char { templates, llvm, ptxas, image };
const std::vector<std::string>& words_of(ReadBy reader);

inline constexpr std::uint64_t most_listed_values = 1'000'000;

struct Axis {
  std::string name;
  std::string alias;  // may be ""; for people, never part of an id
  std::string label;  // the word that tables print for it; "": the name
  std::string doc;
  bool integer = false;
  std::vector<std::string> values;  // in the order declared; empty for a range
  std::int64_t low = 0, high = 0;   // of a range, inclusive
  std::int64_t step = 1;            // of a range, from `low` on
  bool may_be_none = false;         // of a range: "none" is a value, and the default
  std::string default_value;
  ReadBy read_by = ReadBy::templates;
  std::string flag;      // of ptxas where it is not at its default: "-maxrregcount={}"
  std::string others;    // what other values there are: "toolchains"; "" for none
  bool runtime = false;  // does not change the PTX
  std::optional<Expression> when;
  std::string where;  // "templates/axes.toml:12"
  int slot = -1;      // in the vocabulary
  std::int64_t default_number = 0;

  bool is_range() const { return values.empty(); }
  bool has(std::string_view value) const;
  // Every value in order; of a range of more than most_listed_values its ends and its default.
  std::vector<std::string> all() const;
};

// A point for which it holds is not a variant.
struct Rule {
  Expression prune;
  std::string reason;  // {axis} stands for the axis's value
};

// What the forms of a component need at least.
struct Need {
  std::optional<Expression> when;
  isa::Version ptx;
  int sm = 0;
  std::string target;  // "sm_100f", where an architecture or family alone has the forms
  std::string reason;
};

struct OpcodeCount {
  isa::Path path = isa::Path::hot;
  std::string pattern;
  Expression low, high;  // the same, unless a range was given
};

// What the SASS of a verb must be (core/isa/rule.h), where it applies.
struct GateDeclaration {
  std::string verb;  // "*": of the whole window; only `forbid` then
  std::string role;
  std::vector<std::string> families;  // empty: all
  std::string ptxas;                  // a version range; "": all
  std::optional<Expression> when;
  std::vector<OpcodeCount> require;
  std::vector<std::string> forbid;
  std::vector<isa::StatementRule> ptx;  // {name} in a form is an axis or a derived number
  std::optional<isa::Passes> passes;
  std::string where;
};

// What axes.toml or one probe.toml, protocol.toml, mover.toml, work.toml declares.
struct Component {
  std::string name;  // of its folder; "" for axes.toml
  std::string doc;
  std::string uses;                // component of its kind that supplies what it lacks; "" for none
  std::vector<std::string> verbs;  // that it has a template for, its own or of what it uses
  std::vector<std::string> can;    // capabilities: what others may ask of it
  ProtocolFacts protocol;          // of its kind alone
  MoverFacts mover;
  WorkFacts work;
  ProbePlanFacts plan;
  std::vector<Word> words;
  std::vector<NamedExpression> names;  // [flags] and [numbers]
  std::vector<Axis> axes;
  std::vector<Rule> rules;
  std::vector<Need> needs;
  std::vector<GateDeclaration> gates;
  std::vector<std::string> covers;  // SASS families that the gates speak of
  std::string covers_ptxas;         // and the ptxas versions
  std::int64_t word = 0;            // the name's id in the vocabulary

  bool has_verb(std::string_view verb) const;
};

class Catalogue {
 public:
  // Step::spec for whatever is wrong in a file; the message begins with "file:line: key: ".
  static Result<Catalogue> load(const fs::path& templates);

  const Component& common() const { return common_; }
  // How a text is compiled, in the order of an id. No rule and no template knows these axes.
  const std::vector<Axis>& compilers() const { return compilers_; }
  // Of this name or alias; null for none.
  const Axis* compiler(std::string_view name_or_alias) const;
  // Of the conditions of `compilers`.
  const Vocabulary& compiler_words() const { return compiler_words_; }
  // Sorted by name.
  const std::vector<Component>& components(ComponentKind kind) const {
    return components_[static_cast<size_t>(kind)];
  }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // Integers that the plan of a variant supplies to gate counts.
  const std::vector<std::string>& derived() const { return derived_; }
  // Axes that an author of a kernel chooses; the others are the problem.
  const std::vector<std::string>& choices() const { return choices_; }

  // "num_stages" for "stages" or itself; the error has the nearest name. Leading axes are names
  // too, those of compilers are not.
  Result<std::string> resolve(std::string_view name_or_alias) const;
  // The component of this name; null when there is none.
  const Component* find(ComponentKind kind, std::string_view name) const;
  // Every axis of this name: one, unless several components of a kind declare it. The leading axes
  // are in no component.
  std::vector<const Axis*> axes_named(std::string_view name) const;
  // Every value that some axis of the name takes; for a leading axis the components.
  std::vector<std::string> values_of(std::string_view name) const;
  // Whether some axis of the name takes the value. Step::spec: "num_stages: no value '40'".
  Status check_value(std::string_view name, std::string_view value) const;

  // An expression over the axes; the derived names are for gates alone.
  Result<Expression> compile(std::string_view text, ValueKind wanted,
                             bool derived_allowed = false) const;

  // The component of a kind that a point chooses.
  const Component& chosen(ComponentKind kind, const Values& point) const;
  // axes.toml's own, then the chosen components in component_axis_order.
  std::array<const Component*, 5> parts(const Values& point) const;

 private:
  friend class CatalogueReader;
  Component common_;
  std::vector<Axis> compilers_;
  Vocabulary compiler_words_;
  std::array<std::vector<Component>, 4> components_;
  std::vector<std::string> derived_, choices_;
  Vocabulary vocabulary_;
};

// The value of an axis as a point of its vocabulary holds it. The value must be one of the axis's
// (Catalogue::check_value).
std::int64_t value_number(const Vocabulary& vocabulary, std::string_view axis,
                          std::string_view value);
std::string value_text(const Catalogue& catalogue, int slot, std::int64_t number);

// The verbs that a component of each kind may have: what probes ask for.

// Empty for probes, whose templates are parts of a kernel.
const std::vector<std::string>& component_verbs(ComponentKind kind);

// Whether a component of any kind may have it.
bool is_component_verb(const std::string& name);

// The kind of component that has this verb; nullopt for none.
std::optional<ComponentKind> kind_of_verb(std::string_view verb);

}  // namespace phasebit::space
