// [[inputs]], [output] and [expects]: what makes a probe a workload.
#include "core/base/fields_toml.h"
#include "gen/space/reader.h"

namespace phasebit::space {

using base::TomlReader;
using base::TomlValue;

void CatalogueReader::read_workload(const Source& source) {
  for (const FactTable::File& file : fact_files(source))
    if (file.table->find("expects") != nullptr)
      return read_workload_of(file, component_of(source).plan.workload);
  TomlReader reader = top(source);
  for (const char* key : {"inputs", "output"})
    if (reader.has(key))
      reader.refuse(key, "says what a workload takes, and no [expects] what is right",
                    "write [expects] reference = \"...\"");
}

void CatalogueReader::read_workload_of(const FactTable::File& file, WorkloadFacts& facts) {
  namespace workload = launch::workload;
  const auto number = [&](TomlReader& reader, const char* key, std::optional<Expression>& into) {
    const auto compiled = catalogue_.compile(reader.text(key), ValueKind::number, true);
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
      for (const auto& [key, into] : {std::pair{"tile", &facts.tile},
                                      {"scratch", &facts.scratch},
                                      {"rows", &facts.rows},
                                      {"columns", &facts.columns}})
        if (reader.has(key)) number(reader, key, *into);
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
  facts.output =
      buffer(*output, "[output]", {"name", "elements", "tile", "scratch", "rows", "columns"});
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
