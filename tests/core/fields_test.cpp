// One line of a list of fields, and TOML, JSON, signature and comparison know the field.
#include "core/base/fields_json.h"
#include "core/base/fields_toml.h"
#include "core/launch/launch.h"
#include "core/launch/manifest.h"

#include <functional>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::launch_signature;
using launch::LaunchShape;

namespace {

enum class Colour { none, red, green };
const std::vector<std::string>& words_of(Colour /*colour*/) {
  static const std::vector<std::string> words = {"", "red", "green"};
  return words;
}

struct Part {
  int size = 0;
  bool operator==(const Part&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const Part* /*type*/) {
  visit("size", &Part::size, {.least = 1});
}

struct Thing {
  int first_number = 1;
  Colour main_colour = Colour::red;
  std::vector<int> numbers;
  std::optional<Part> part;
  int checked = 0;
  bool operator==(const Thing&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const Thing* /*type*/) {
  visit("first_number", &Thing::first_number, {.toml = "first", .must = "write `first = 1`"});
  visit("main_colour", &Thing::main_colour);
  visit("numbers", &Thing::numbers);
  visit("part", &Thing::part, {.if_set = true});
  visit("checked", &Thing::checked, {.in_signature = false});
}

// The same with a field and its line more.
struct LargerThing : Thing {
  std::string name = "usual";
  bool operator==(const LargerThing&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const LargerThing* /*type*/) {
  fields(visit, static_cast<const Thing*>(nullptr));
  visit("name", &LargerThing::name, {.if_set = true, .by_key = true});
}

template <typename T>
Result<T> read(const std::string& text) {
  PHASEBIT_TRY_ASSIGN(table, base::parse_toml(text, "t.toml"));
  Status status;
  base::TomlReader reader("t.toml", table, "the thing", base::toml_keys<T>(), status);
  T value;
  base::read_fields(reader, value);
  if (!status) return tl::unexpected<Error>(status.error());
  return value;
}

TEST(Fields, OneLineMakesAFieldKnownEverywhere) {
  LargerThing thing;
  const LargerThing usual = thing;
  thing.name = "other";
  EXPECT_EQ(base::toml_of(thing), "{ first = 1, name = \"other\" }");
  EXPECT_EQ(read<LargerThing>("first = 1\nname = \"other\"").value(), thing);
  EXPECT_EQ(
      read<Thing>("first = 1\nname = \"other\"").error().text(),
      "spec: t.toml:2: name: no such key (one of: first, main_colour, numbers, part, checked)");
  const nlohmann::json json = base::as_json(thing);
  EXPECT_EQ(json.at("name"), "other");
  EXPECT_EQ(json.get<LargerThing>(), thing);
  const auto signature = [](const LargerThing& one) {
    return base::as_json(one, base::JsonPart::signature).dump();
  };
  EXPECT_EQ(signature(thing),
            R"({"first_number":1,"main_colour":"red","name":"other","numbers":[]})");
  // At its default it leaves the signatures that were there before it as they are.
  EXPECT_EQ(signature(usual),
            base::as_json(static_cast<const Thing&>(usual), base::JsonPart::signature).dump());
  const auto difference = base::first_difference(thing, usual, "[thing]");
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->key, "name");
  EXPECT_EQ(difference->said, "'other'");
  EXPECT_EQ(difference->wanted, "'usual'");
  EXPECT_EQ(difference->hint, "write `name = \"usual\"`");
  EXPECT_FALSE(base::first_difference(usual, usual, "[thing]"));
}

TEST(Fields, AWrongValueIsNamed) {
  const struct {
    const char *text, *message;
  } rows[] = {
      {"", "spec: t.toml:1: the thing: lacks 'first' (write `first = 1`)"},
      {"first = -1", "spec: t.toml:1: first: -1 is out of range (0 or more)"},
      {"first = 2147483648", "spec: t.toml:1: first: 2147483648 is out of range (0 or more)"},
      {"first = \"1\"", "spec: t.toml:1: first: must be a whole number"},
      {"first = 1\nmain_colour = \"gren\"",
       "spec: t.toml:2: main_colour: no colour 'gren' (did you mean 'green'?)"},
      {"first = 1\nmain_colour = \"\"",
       "spec: t.toml:2: main_colour: no colour '' (one of: red, green)"},
      {"first = 1\nnumbers = [\"a\"]",
       "spec: t.toml:2: numbers: holds what is not a whole number, or one out of range"},
      {"first = 1\npart = { size = 0 }", "spec: t.toml:2: size: 0 is out of range (1 or more)"},
      {"first = 1\npart = { sise = 1 }",
       "spec: t.toml:2: sise: no such key (did you mean 'size'?)"},
  };
  for (const auto& row : rows) {
    const auto thing = read<Thing>(row.text);
    ASSERT_FALSE(thing) << row.text;
    EXPECT_EQ(thing.error().text(), row.message);
  }
  EXPECT_THROW(base::as_json(Thing{}).at("part"), nlohmann::json::exception);
  EXPECT_THROW(nlohmann::json({{"first_number", 1}}).get<Thing>(), nlohmann::json::exception);
}

// Class ids of published rows are made of this text.
TEST(LaunchSignature, OfAPlainLaunchIsThatOfPublishedRows) {
  LaunchShape launch;
  launch.threads = 64;
  launch.slices = {{0, 0, 1, launch::Role::producer}};
  EXPECT_EQ(
      launch_signature(launch),
      R"({"cluster_size":1,"consumer_turns":1,"ctas_per_sm":1,"delay_cycles":0,"dynamic_share)"
      R"(d_bytes":0,"first_rank":0,"guarded":true,"item_granule":1,"load_ctas":0,"max_items":)"
      R"(0,"min_items":1,"payload":{"consumer_threads":0,"consumer_vector_words":1,"period":0)"
      R"(,"words_per_slot":0},"producer_turns":1,"readings":[],"second_rank":0,"slices":[{"fi)"
      R"(rst_lane":0,"lane_stride":1,"leaves_early":false,"rank":0,"rank_in_cluster":-1,"role)"
      R"(":1,"unit":0,"warp":0}],"threads":64,"timed_role":2,"unit":"cycles per item","work_a)"
      R"(mount":0})");
}

// A launch that differs in one of these alone is another, or the same that is verified otherwise.
TEST(LaunchSignature, SaysWhatIsMeasuredOnce) {
  using Change = std::function<void(LaunchShape&)>;
  const Change counting[] = {
      [](LaunchShape& one) { one.threads = 96; },
      [](LaunchShape& one) { one.sms = 2; },
      [](LaunchShape& one) { one.cluster_size = 2; },
      [](LaunchShape& one) { one.dynamic_shared_bytes = 8; },
      [](LaunchShape& one) { one.work_amount = 1; },
      [](LaunchShape& one) { one.unit = "ns per item"; },
      [](LaunchShape& one) { one.slices.resize(1); },
      [](LaunchShape& one) { one.readings.resize(1); },
      [](LaunchShape& one) { one.payload.period = 37; },
      [](LaunchShape& one) { one.payload.thread_words = 4; },
      [](LaunchShape& one) { one.data.bytes = 4096; },
      [](LaunchShape& one) { one.buffers.resize(1); },
      [](LaunchShape& one) { one.tensor_maps.resize(1); },
  };
  const Change verified[] = {
      [](LaunchShape& one) { one.fixed_warps = true; },
      [](LaunchShape& one) { one.phases_checked = 8; },
      [](LaunchShape& one) { one.stored.buffer = "out"; },
      [](LaunchShape& one) { one.payload.product = {64, 64, 1}; },
      [](LaunchShape& one) { one.payload.tile.map = "tiles"; },
      [](LaunchShape& one) { one.payload.copy_words = 8; },
      [](LaunchShape& one) { one.payload.kept_words = 8; },
  };
  const std::string plain = launch_signature(LaunchShape{});
  const auto changed = [](const Change& change) {
    LaunchShape launch;
    change(launch);
    return launch_signature(launch);
  };
  for (const Change& change : counting) EXPECT_NE(changed(change), plain) << changed(change);
  for (const Change& change : verified) EXPECT_EQ(changed(change), plain);
}

}  // namespace
}  // namespace phasebit::test
