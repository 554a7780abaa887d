// templates/README.md lists every name that a template may use: the table between its two marks is
// compared with what the code gives the variants of all specs. PHASEBIT_ACCEPT=1 rewrites it and
// keeps what it says of the names that stay; a new name is to be described by hand.
#include "gen/forms/form.h"
#include "gen/kernel/context.h"
#include "gen/space/form_space.h"
#include "gen/space/variants.h"
#include "tests/gen/plans.h"
#include "tests/home.h"

#include <cstdlib>
#include <map>
#include <set>

namespace phasebit::test {

using space::Catalogue;

namespace {

using nlohmann::json;

constexpr const char* begin_mark = "<!-- names: begin -->\n";
constexpr const char* end_mark = "<!-- names: end -->\n";

// By name, where it is known: "" everywhere, "role" in the objects of roles, "role.slots" in an
// element of that list.
using Names = std::map<std::string, std::set<std::string>>;

void collect(const json& value, const std::string& where, Names& names) {
  if (value.is_array())
    for (const json& element : value) collect(element, where, names);
  if (!value.is_object()) return;
  for (const auto& [name, inner] : value.items()) {
    const bool is_role = where.empty() && inner.is_object() && inner.contains("item");
    names[name].insert(where);
    if (where.empty() && (name == "is" || name == "pb")) continue;
    collect(inner, is_role ? "role" : (where.empty() ? "" : where + ".") + name, names);
  }
}

std::set<std::string> declared_names(const Catalogue& catalogue) {
  std::set<std::string> all;
  const auto add = [&](const space::Component& component) {
    for (const space::Axis& axis : component.axes) all.insert(axis.name);
    for (const space::NamedExpression& name : component.names) all.insert(name.name);
  };
  add(catalogue.common());
  for (const space::ComponentKind kind : space::component_kinds) {
    all.insert(std::string(space::to_string(kind)));
    for (const space::Component& component : catalogue.components(kind)) add(component);
  }
  return all;
}

void collect_variant(const Catalogue& catalogue, const launch::VariantKey& key, Names& names) {
  auto context = kernel::make_context(catalogue, key, test::plan_of(key), "entry");
  ASSERT_TRUE(context) << context.error().text();
  if (space::is_form(key)) {
    const auto book = forms::FormBook::get();
    ASSERT_TRUE(forms::add_form_names(*context, **book, forms::form_point(key)));
  }
  collect(*context, "", names);
}

// Of every seventh variant of every sweep, and every 997th form.
Names names_of_code() {
  const Catalogue& catalogue = test::shipped();
  Names names;
  for (const char* file : {"core", "protocols", "probes", "cluster", "tensor", "stores",
                           "barrier_word", "curated", "products", "forms"}) {
    const auto spec = space::load_spec(
        test::home(), base::source_root() / "specs" / fmt::format("{}.toml", file), catalogue);
    EXPECT_TRUE(spec) << spec.error().text();
    for (const space::Sweep& sweep : spec->sweeps) {
      const auto expansion = space::expand(catalogue, *spec, sweep.name);
      EXPECT_TRUE(expansion) << expansion.error().text();
      const size_t step = expansion->variants.size() > 5000 ? 997 : 7;
      for (size_t i = 0; i < expansion->variants.size(); i += step)
        collect_variant(catalogue, expansion->variants[i], names);
    }
  }
  for (const std::string& name : declared_names(catalogue)) names.erase(name);
  return names;
}

// What the table says of each name, and where it says it is known.
struct NamesRow {
  std::string where, meaning;
};

std::map<std::string, NamesRow> rows_of(const std::string& table) {
  std::map<std::string, NamesRow> rows;
  for (size_t at = 0; at < table.size();) {
    const size_t end = std::min(table.find('\n', at), table.size());
    const std::string line = table.substr(at, end - at);
    at = end + 1;
    const size_t name = line.find("| `"), close = line.find("` | ");
    const size_t next = line.find(" | ", close + 4);
    if (name != 0 || close == std::string::npos || next == std::string::npos) continue;
    rows[line.substr(3, close - 3)] = {line.substr(close + 4, next - close - 4),
                                       line.substr(next + 3, line.size() - next - 5)};
  }
  return rows;
}

std::string where_of(const std::set<std::string>& places) {
  std::string text;
  for (const std::string& place : places)
    text += (text.empty() ? "" : ", ") + (place.empty() ? "everywhere" : place);
  return text;
}

TEST(Names, StandInTheReadme) {
  const fs::path file = base::source_root() / "templates" / "README.md";
  std::string text = base::read_file(file).value();
  const size_t begin = text.find(begin_mark) + std::string(begin_mark).size();
  const size_t end = text.find(end_mark);
  ASSERT_LE(begin, end);
  const auto rows = rows_of(text.substr(begin, end - begin));
  std::string table = "| name | known | is |\n|---|---|---|\n";
  for (const auto& [name, places] : names_of_code()) {
    const auto row = rows.find(name);
    const std::string meaning = row == rows.end() ? "" : row->second.meaning;
    EXPECT_NE(meaning, "") << "templates/README.md says nothing of '" << name << "'";
    table += fmt::format("| `{}` | {} | {} |\n", name, where_of(places), meaning);
  }
  const std::string wanted = text.substr(0, begin) + table + text.substr(end);
  if (std::getenv("PHASEBIT_ACCEPT") != nullptr) {
    ASSERT_TRUE(base::write_file(file, wanted));
  }
  EXPECT_EQ(base::read_file(file).value(), wanted);
}

}  // namespace
}  // namespace phasebit::test
