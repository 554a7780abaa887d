// [[inputs]], [output] and [expects]: what makes a probe a workload.
#include "core/base/fields_toml.h"
#include "gen/space/reader.h"

#include <array>

namespace phasebit::space {

using base::TomlReader;
using base::TomlValue;

namespace {

struct OutputFact {
  const char* key;
  std::optional<Expression> WorkloadFacts::* into;
  ValueKind kind = ValueKind::number;
};
constexpr std::array output_facts = {
    OutputFact{"tile", &WorkloadFacts::tile},
    OutputFact{"scratch", &WorkloadFacts::scratch},
    OutputFact{"scratch_alignment", &WorkloadFacts::scratch_alignment},
    OutputFact{"rows", &WorkloadFacts::rows},
    OutputFact{"columns", &WorkloadFacts::columns},
    OutputFact{"tile_rows", &WorkloadFacts::tile_rows},
    OutputFact{"items_a_tile", &WorkloadFacts::items_a_tile},
    OutputFact{"halves", &WorkloadFacts::halves, ValueKind::truth},
    OutputFact{"drawn", &WorkloadFacts::drawn, ValueKind::truth},
    OutputFact{"cancels", &WorkloadFacts::cancels, ValueKind::truth},
    OutputFact{"launches", &WorkloadFacts::launches},
    OutputFact{"overlaps", &WorkloadFacts::overlaps, ValueKind::truth},
};

}  // namespace

void CatalogueReader::read_workload(const Source& source) {
  for (const FactTable::File& file : fact_files(source))
    if (file.table->find("expects") != nullptr)
      return read_workload_of(file, component_of(source).plan.workload);
  TomlReader reader = top(source);
  for (const char* key : {"inputs", "output", "maps"})
    if (reader.has(key))
      reader.refuse(key, "says what a workload takes, and no [expects] what is right",
                    "write [expects] reference = \"...\"");
}

void CatalogueReader::read_workload_of(const FactTable::File& file, WorkloadFacts& facts) {
  namespace workload = launch::workload;
  const auto number = [&](TomlReader& reader, const char* key, std::optional<Expression>& into,
                          ValueKind kind = ValueKind::number) {
    const auto compiled = catalogue_.compile(reader.text(key), kind, true);
    if (status_ && !compiled) reader.refuse(key, compiled.error());
    if (compiled) into = *compiled;
  };
  const auto buffer = [&](const TomlValue& table, const char* name,
                          const std::vector<std::string>& keys) {
    TomlReader reader(file.name, table, name, keys, status_);
    WorkloadFacts::Input made;
    made.name = reader.text("name");
    made.where = reader.where();
    number(reader, "elements", made.elements);
    if (std::string(name) == "[output]") {
      for (const OutputFact& fact : output_facts)
        if (reader.has(fact.key)) number(reader, fact.key, facts.*fact.into, fact.kind);
      return made;
    }
    made.fill = reader.text("fill");
    check_placeholders(reader, "fill", made.fill);
    return made;
  };
  TomlReader all(file.name, *file.table, "the file", file.table->keys, status_);
  for (const TomlValue* table : all.tables("inputs"))
    facts.inputs.push_back(buffer(*table, "[[inputs]]", {"name", "elements", "fill"}));
  const TomlValue* output = all.table("output");
  if (output == nullptr || facts.inputs.empty())
    return all.refuse("expects", "needs an [output] and [[inputs]] before it",
                      "write [output] name = \"out\"");
  std::vector<std::string> keys = {"name", "elements"};
  for (const OutputFact& fact : output_facts) keys.emplace_back(fact.key);
  facts.output = buffer(*output, "[output]", keys);
  for (const TomlValue* table : all.tables("maps")) {
    TomlReader reader(file.name, *table, "[[maps]]",
                      {"name", "of", "rows", "columns", "box_rows", "box_columns"}, status_);
    WorkloadFacts::Map made;
    made.name = reader.text("name");
    made.of = reader.text("of");
    made.where = reader.where();
    number(reader, "rows", made.rows);
    number(reader, "columns", made.columns);
    number(reader, "box_rows", made.box_rows);
    number(reader, "box_columns", made.box_columns);
    facts.maps.push_back(std::move(made));
  }
  TomlReader expects(file.name, *all.table("expects"), "[expects]",
                     {"reference", "relative", "absolute"}, status_);
  facts.reference = expects.text("reference");
  if (workload::reference_of(facts.reference) == nullptr)
    expects.refuse("reference", fmt::format("no reference '{}'", facts.reference),
                   base::nearest_word_hint(facts.reference, workload::reference_names()));
  // The powers of two that they are.
  facts.relative = base::toml_number(expects, "relative", 0, -64, 0);
  facts.absolute = base::toml_number(expects, "absolute", 0, -1100, 0);
}

}  // namespace phasebit::space
