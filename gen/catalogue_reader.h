// Reads the TOML files of a templates folder into a catalogue: first the axes of all files, since
// any expression may name any axis, then what holds expressions.
#pragma once

#include "core/base/toml.h"
#include "gen/catalogue.h"

#include <string>
#include <vector>

namespace phasebit {

class CatalogueReader {
 public:
  explicit CatalogueReader(fs::path templates) : templates_(std::move(templates)) {}
  Result<Catalogue> read();

 private:
  // A file that is parsed and the component that it fills.
  struct Source {
    std::string file;
    TomlValue table;
    ComponentKind kind = ComponentKind::probe;
    size_t index = 0;  // among the components of its kind
    bool is_common = false;
  };

  Status read_files();
  Status read_components(ComponentKind kind);
  Component& component_of(const Source& source);
  TomlReader top(const Source& source);

  void read_axes(const Source& source);
  Axis read_axis(TomlReader reader);
  void read_axis_values(TomlReader& reader, Axis& axis);
  void read_values_of(TomlReader& reader, Axis& axis);
  void read_default(TomlReader& reader, Axis& axis);
  void name_axis(TomlReader& reader, const Source& source, Axis& axis);
  void check_alias(TomlReader& reader, const Axis& axis);
  void name_derived(const Source& source);

  void read_expressions(const Source& source);
  void read_covers(const Source& source);
  void read_uses(const Source& source);
  const Component* used_by(const Component& component, ComponentKind kind) const;
  bool has_template(const Source& source, const std::string& verb) const;
  void check_verbs(const Source& source);
  void inherit(const Source& source);
  Rule read_rule(const Source& source, const TomlValue& table);
  Need read_need(const Source& source, const TomlValue& table);
  GateDeclaration read_gate(const Source& source, const TomlValue& table);
  std::vector<OpcodeCount> read_counts(TomlReader& reader);
  void check_families(TomlReader& reader, std::string_view key,
                      const std::vector<std::string>& families);
  void check_range(TomlReader& reader, std::string_view key, const std::string& range);
  void check_placeholders(TomlReader& reader, std::string_view key, const std::string& reason);
  std::optional<Expression> expression(TomlReader& reader, std::string_view key, ValueKind wanted,
                                       bool derived_allowed = false);

  fs::path templates_;
  std::vector<Source> sources_;  // axes.toml, then the components in component_axis_order
  std::vector<std::string> families_;
  Catalogue catalogue_;
  Status status_;
};

}  // namespace phasebit
