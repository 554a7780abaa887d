// The space of variants: axes, components, templates, specs.
#include "core/base/toml.h"
#include "gen/kernel/kernel_file.h"
#include "gen/kernel/make_plan.h"
#include "gen/space/variants.h"
#include "tests/fuzz/reader.h"
#include "tests/home.h"

#include <array>
#include <map>
#include <utility>

namespace phasebit::test {
namespace {

using launch::VariantKey;
using space::Catalogue;

// A folder whose files an input may replace; afterwards they are what they were.
class Tree {
 public:
  explicit Tree(std::map<std::string, std::string> files) : files_(std::move(files)) {
    for (const auto& [name, text] : files_) write(name, text);
  }
  const fs::path& path() const { return folder_.path(); }
  const std::map<std::string, std::string>& files() const { return files_; }
  // Whether some file is another now.
  bool replace(const std::map<std::string, std::string>& parts) {
    for (const auto& [name, text] : parts)
      if (const auto known = files_.find(name); known != files_.end()) {
        write(name, text);
        replaced_.push_back(name);
      }
    return !replaced_.empty();
  }
  void restore() {
    for (const std::string& name : replaced_) write(name, files_.at(name));
    replaced_.clear();
  }

 private:
  void write(const std::string& name, const std::string& text) {
    if (const Status done = base::write_file(path() / name, text); !done) bug(done.error().text());
  }
  base::TempDir folder_ = std::move(base::TempDir::create().value());
  std::map<std::string, std::string> files_;
  std::vector<std::string> replaced_;
};

// A space of one probe, protocol, mover and work, with a file for each thing that may be said.
std::map<std::string, std::string> small_templates() {
  return {{"axes.toml",
           "derived = [\"own_threads\"]\ncapabilities = [\"counts\"]\n[words]\ncolour = \"red\"\n"
           "[[axis]]\nname = \"num_stages\"\nrange = [1, 8]\ndefault = 2\n"
           "[[axis]]\nname = \"wait\"\nvalues = [\"try\", \"test\"]\ndefault = \"try\"\n"},
          {"probes/p/probe.toml", "doc = \"p\"\n"},
          {"probes/p/kernel.ptx",
           "// the kernel\n.visible .entry {{entry}}()\n{\n{{#producer}}\n{{> acquire}}\n"
           "{{/producer}}\nret;\n}\n"},
          {"protocols/q/protocol.toml",
           "verbs = [\"acquire\"]\nwaits_on = \"q\"\n[slot]\nwords = 0\n"
           "[flags]\nbig = \"num_stages > 4\"\n[numbers]\ntwice = \"2 * num_stages\"\n"
           "[words]\nload = { num_stages = { 2 = \"ld.two\", else = \"ld.more\" } }\n"},
          {"protocols/q/acquire.ptx",
           "{{#on_empty}}\nwait [{{barrier}}], {{twice}};\n{{load}};\n"
           "{{/on_empty}}\n"},
          {"movers/m/mover.toml", "verbs = [\"fill\"]\n[payload]\nbytes = 0\n"},
          {"movers/m/fill.ptx", "fill;\n"},
          {"work/w/work.toml",
           "verbs = [\"work\"]\n[works]\nproducer = \"1 == 0\"\nconsumer = \"1 == 0\"\n"
           "amount = 0\n"},
          {"work/w/work.ptx", "work;\n"}};
}

void render(const Catalogue& catalogue, const fs::path& templates, const VariantKey& key) {
  const auto plan = kernel::make_plan(catalogue, key);
  if (!plan) return check_refusal(plan.error(), {Step::spec});
  const auto rendered = kernel::Renderer(catalogue, templates)
                            .render(key, *plan, launch::Build::timed, "8.0", "sm_90");
  if (!rendered) return check_refusal(rendered.error(), {Step::render, Step::spec});
  if (rendered->kernel.statements.size() != rendered->kernel.source.size())
    bug("a statement without its line");
  (void)kernel::kernel_file(catalogue, *rendered);
}

void read_small_catalogue(const fs::path& templates) {
  const auto catalogue = Catalogue::load(templates);
  if (!catalogue) return check_refusal(catalogue.error(), {Step::spec});
  const auto key = space::parse_variant(*catalogue, "p/q/m/w");
  if (!key) return check_refusal(key.error(), {Step::usage});
  render(*catalogue, templates, *key);
}

const Catalogue& whole_catalogue() {
  static const Catalogue catalogue = [] {
    auto loaded = Catalogue::load(home().data / "templates");
    if (!loaded) bug(loaded.error().text());
    return std::move(*loaded);
  }();
  return catalogue;
}

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace(entry.path().lexically_relative(folder).generic_string(),
                    base::read_file(entry.path()).value());
  return files;
}

std::vector<VariantKey> keys_of(const Catalogue& catalogue) {
  constexpr std::array<const char*, 3> ids = {"ring/mbarrier/st_shared/none",
                                              "handoff/named_barrier/none/none/num_stages=1",
                                              "ring/mbarrier_bulk/bulk/fma"};
  std::vector<VariantKey> keys;
  for (const char* id : ids) {
    auto key = space::parse_variant(catalogue, id);
    if (!key) bug(key.error().text());
    keys.push_back(std::move(*key));
  }
  return keys;
}

// One that has the file's component: the first, where all have it.
const VariantKey& key_with(const std::vector<VariantKey>& keys, const fs::path& file) {
  const std::string component = file.parent_path().filename().string();
  for (const VariantKey& key : keys)
    for (const auto& [axis, value] : key.axes)
      if (value == component) return key;
  return keys.front();
}

// An id leads back to its variant. Large sweeps take time and nothing else.
void expand(const space::Spec& spec) {
  constexpr double most_points = 50;
  for (const space::Sweep& sweep : spec.sweeps) {
    double points = 0;
    for (const space::SweepBlock& block : sweep.blocks) points += space::points_of(block);
    if (points > most_points) continue;
    const auto expansion = space::expand(whole_catalogue(), spec, sweep.name);
    if (!expansion) {
      check_refusal(expansion.error(), {Step::spec, Step::usage});
      continue;
    }
    (void)space::describe(*expansion);
    if (expansion->variants.empty()) continue;
    const VariantKey& last = expansion->variants.back();
    const auto again = space::parse_variant(whole_catalogue(), last.id);
    if (!again || again->hash != last.hash) bug("an id of another variant: " + last.id);
  }
}

}  // namespace

// axes.toml, a component of each kind and their templates: those that the input has a part of.
void read_fuzzed_catalogue(std::string_view bytes) {
  static Tree tree(small_templates());
  tree.replace(parts_of(bytes));
  read_small_catalogue(tree.path());
  tree.restore();
}

void read_fuzzed_spec(std::string_view text) {
  static const base::Home where = home();
  const auto toml = base::parse_toml(text, "mine.toml");
  if (!toml) return check_refusal(toml.error(), {Step::spec});
  const auto spec = space::read_spec(where, *toml, "mine.toml", whole_catalogue());
  if (!spec) return check_refusal(spec.error(), {Step::spec, Step::usage, Step::toolchain});
  expand(*spec);
}

// Templates of the program, of which the input has other texts.
void read_fuzzed_template(std::string_view bytes) {
  static Tree tree(files_below(home().data / "templates"));
  static const std::vector<VariantKey> keys = keys_of(whole_catalogue());
  auto parts = parts_of(bytes);
  std::erase_if(parts, [](const auto& part) { return !part.first.ends_with(".ptx"); });
  if (tree.replace(parts))
    render(whole_catalogue(), tree.path(), key_with(keys, parts.begin()->first));
  tree.restore();
}

}  // namespace phasebit::test
