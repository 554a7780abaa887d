// Reads the TOML files of a templates folder into a catalogue: first the axes of all files, since
// any expression may name any axis, then what holds expressions.
#pragma once

#include "core/base/toml.h"
#include "core/isa/read_rule.h"
#include "core/isa/targets.h"
#include "gen/space/catalogue.h"
#include "gen/space/fact_table.h"

#include <string>
#include <vector>

namespace phasebit::space {

class CatalogueReader {
 public:
  explicit CatalogueReader(fs::path templates) : templates_(std::move(templates)) {}
  Result<Catalogue> read();

 private:
  // A file that is parsed and the component that it fills.
  struct Source {
    std::string file;
    base::TomlValue table;
    ComponentKind kind = ComponentKind::probe;
    size_t index = 0;  // among the components of its kind
    bool is_common = false;
  };

  Status read_files();
  Status read_components(ComponentKind kind);
  Component& component_of(const Source& source);
  base::TomlReader top(const Source& source);

  void read_axes(const Source& source);
  Axis read_axis(base::TomlReader reader, const Source& source);
  void read_compiler(base::TomlReader& reader, const Source& source, Axis& axis);
  void read_axis_values(base::TomlReader& reader, Axis& axis);
  void read_range(base::TomlReader& reader, Axis& axis);
  void read_values_of(base::TomlReader& reader, Axis& axis);
  void read_default(base::TomlReader& reader, Axis& axis);
  void name_axis(base::TomlReader& reader, const Source& source, Axis& axis);
  void check_alias(base::TomlReader& reader, const Axis& axis);
  void name_derived(const Source& source);
  void explain_names(const Source& source);

  void read_expressions(const Source& source);
  void read_conditions(const Source& source);
  void read_covers(const Source& source);
  void read_uses(const Source& source);
  const Component* used_by(const Component& component, ComponentKind kind) const;
  // The files of those that it takes over from, the nearest first.
  std::vector<const Source*> used_sources(const Source& source);
  bool has_template(const Source& source, const std::string& verb) const;
  void check_uses(const Source& source);
  void read_verbs(const Source& source);
  void check_verbs(const Source& source);
  void check_files(const Source& source);
  void check_slot(const Source& source);
  void inherit_all();
  void inherit(const Source& source);
  void inherit_from_base(const Source& source);

  std::vector<FactTable::File> fact_files(const Source& source);
  void read_capabilities(const Source& source);
  void read_can(const Source& source, const std::vector<std::string>& valid);
  void read_facts(const Source& source);
  void read_protocol_facts(const Source& source);
  void read_slot_facts(FactTable& slot, const std::vector<FactTable::File>& files,
                       ProtocolFacts& facts);
  void read_mover_facts(const Source& source);
  void read_tile_facts(const Source& source);
  void read_store_facts(const Source& source);
  void read_work_facts(const Source& source);
  void read_words(const Source& source);
  std::string spelled_by(base::TomlReader& reader, const std::string& word,
                         const std::string& choice, const base::TomlValue& values);
  void read_names(const Source& source);
  Rule read_rule(const Source& source, const base::TomlValue& table);
  Need read_need(const Source& source, const base::TomlValue& table);
  void read_gate(const Source& source, const base::TomlValue& table,
                 std::vector<GateDeclaration>& gates);
  std::vector<OpcodeCount> read_counts(base::TomlReader& reader, const isa::RuleText& rule);
  std::optional<Expression> read_count(base::TomlReader& reader, const isa::RuleText::Count& count,
                                       const std::string& text);
  void add_alike(Component& component) const;
  void read_plan(const Source& source);
  void read_workload(const Source& source);
  void read_workload_of(const FactTable::File& file, WorkloadFacts& facts);
  void read_plan_of(const Source& source, const base::TomlValue& table, ProbePlanFacts& plan);
  std::optional<launch::Role> read_role(base::TomlReader& reader, std::string_view key);
  void check_families(base::TomlReader& reader, std::string_view key,
                      const std::vector<std::string>& families);
  void check_range(base::TomlReader& reader, std::string_view key, const std::string& range);
  void check_placeholders(base::TomlReader& reader, std::string_view key,
                          const std::string& reason);
  std::optional<Expression> expression(base::TomlReader& reader, std::string_view key,
                                       ValueKind wanted, bool derived_allowed = false);

  fs::path templates_;
  std::vector<Source> sources_;  // axes.toml, then the components in component_axis_order
  std::vector<std::string> families_;
  std::vector<isa::TargetTable::Alike> alike_;
  Catalogue catalogue_;
  Status status_;
};

}  // namespace phasebit::space
