// The facts of a protocol, a mover and a work: typed, taken over from the component that it uses,
// and refused when one is missing.
#include "core/base/nearest.h"
#include "core/image/stores/store.h"
#include "core/image/tensor/map.h"
#include "gen/catalogue/fact_table.h"
#include "gen/catalogue/reader.h"

#include <algorithm>

namespace phasebit::catalogue {

using base::TomlValue;

namespace {

const std::vector<std::string> read_back_words = {"none", "phases", "count"};

ReadBack read_back(FactTable& table, std::string_view key) {
  const std::string word = table.word(key, read_back_words);
  if (word == "phases") return ReadBack::phases;
  return word == "count" ? ReadBack::count : ReadBack::none;
}

bool has_table(const std::vector<FactTable::File>& files, const char* name) {
  return std::any_of(files.begin(), files.end(), [&](const FactTable::File& file) {
    return file.table->find(name) != nullptr;
  });
}

}  // namespace

std::vector<FactTable::File> CatalogueReader::fact_files(const Source& source) {
  std::vector<FactTable::File> files = {{source.file, &source.table}};
  for (const Source* used : used_sources(source)) files.push_back({used->file, &used->table});
  return files;
}

void CatalogueReader::read_facts(const Source& source) {
  if (source.is_common || !status_) return;
  if (source.kind == ComponentKind::protocol) read_protocol_facts(source);
  if (source.kind == ComponentKind::mover) read_mover_facts(source);
  if (source.kind == ComponentKind::work) read_work_facts(source);
}

void CatalogueReader::read_protocol_facts(const Source& source) {
  Component& component = component_of(source);
  ProtocolFacts& facts = component.protocol;
  const auto files = fact_files(source);
  for (const FactTable::File& file : files)
    if (facts.waits_on.empty() && file.table->find("waits_on") != nullptr)
      facts.waits_on = file.table->find("waits_on")->text;
  if (facts.waits_on.empty())
    top(source).refuse({}, "lacks 'waits_on'", "write waits_on = \"barrier\", as tables print it");
  FactTable slot(catalogue_, files, "slot", {"words", "extra_bytes", "address", "counts_laps"},
                 status_);
  facts.words =
      static_cast<int>(slot.number("words", "words = 2, or 0 without barriers in memory"));
  if (facts.words != 0 && facts.words != 2) slot.refuse("words", "must be 0 or 2");
  if (facts.words != 0) read_slot_facts(slot, files, facts);
  FactTable tries(catalogue_, files, "try", {"early", "ahead"}, status_);
  if (std::find(component.can.begin(), component.can.end(), "try") == component.can.end()) return;
  facts.early = tries.expression("early", ValueKind::truth, "early = \"CONDITION\"");
  facts.ahead = tries.expression("ahead", ValueKind::number, "ahead = 0, or an expression");
}

void CatalogueReader::read_slot_facts(FactTable& slot, const std::vector<FactTable::File>& files,
                                      ProtocolFacts& facts) {
  facts.extra_bytes = static_cast<int>(slot.number("extra_bytes", "extra_bytes = 0"));
  facts.keeps_address = slot.truth("address", "address = true or false");
  facts.counts_laps = slot.truth("counts_laps", "counts_laps = true or false");
  FactTable arrivals(catalogue_, files, "arrivals", {"full", "empty", "most", "by_wait"}, status_);
  facts.full_arrivals = arrivals.expression("full", ValueKind::number, "full = \"producer_warps\"");
  facts.empty_arrivals =
      arrivals.expression("empty", ValueKind::number, "empty = \"consumer_warps\"");
  facts.most_arrivals = arrivals.expression_if("most", ValueKind::number);
  facts.waits_arrive = arrivals.expression_if("by_wait", ValueKind::truth);
  FactTable verify(catalogue_, files, "verify", {"full", "empty", "empty_in_all"}, status_);
  facts.read_full = read_back(verify, "full");
  facts.read_empty = read_back(verify, "empty");
  facts.empty_in_all = verify.expression_if("empty_in_all", ValueKind::truth);
  if (facts.read_full == ReadBack::none && facts.read_empty == ReadBack::none)
    verify.refuse("full", "a protocol with words in its slots verifies nothing",
                  "write full = \"phases\" or \"count\"");
}

void CatalogueReader::read_mover_facts(const Source& source) {
  FactTable payload(catalogue_, fact_files(source), "payload",
                    {"bytes", "copy_bytes", "copiers", "read_bytes", "kept_bytes", "period"},
                    status_);
  MoverFacts& facts = component_of(source).mover;
  facts.bytes = payload.expression("bytes", ValueKind::number, "bytes = 0, or an expression");
  facts.copy_bytes = payload.expression_if("copy_bytes", ValueKind::number);
  facts.copiers = payload.expression_if("copiers", ValueKind::number);
  facts.read_bytes = payload.expression_if("read_bytes", ValueKind::number);
  facts.kept_bytes = payload.expression_if("kept_bytes", ValueKind::number);
  facts.period = payload.expression_if("period", ValueKind::number);
  read_tile_facts(source);
  read_store_facts(source);
}

void CatalogueReader::read_store_facts(const Source& source) {
  const auto files = fact_files(source);
  StoreFacts& facts = component_of(source).mover.stored;
  facts.stores = has_table(files, "stored");
  if (!facts.stores) return;
  FactTable stored(catalogue_, files, "stored", {"operation", "rewrite", "by_map"}, status_);
  facts.operation = stored.axis_word("operation", words_of(image::stores::StoreOperation{}));
  facts.rewrite = stored.axis_word("rewrite", words_of(image::stores::StoreRewrite{}));
  facts.by_map = stored.expression_if("by_map", ValueKind::truth);
}

void CatalogueReader::read_tile_facts(const Source& source) {
  namespace tensor = image::tensor;
  const auto files = fact_files(source);
  TileFacts& facts = component_of(source).mover.tile;
  facts.is_tile = has_table(files, "tensor_map");
  if (!facts.is_tile) return;
  FactTable map(catalogue_, files, "tensor_map",
                {"rank", "box", "cut", "copies", "element", "swizzle", "promotion", "fill",
                 "im2col", "lower", "upper", "offsets"},
                status_);
  facts.element = map.axis_word("element", words_of(tensor::TensorElement{}));
  facts.swizzle = map.axis_word("swizzle", words_of(tensor::TensorSwizzle{}));
  facts.promotion = map.axis_word("promotion", words_of(tensor::TensorPromotion{}));
  facts.fill = map.axis_word("fill", words_of(tensor::TensorFill{}));
  facts.rank = map.expression("rank", ValueKind::number, "rank = 2, or an expression");
  facts.copies = map.expression_if("copies", ValueKind::number);
  facts.box = map.numbers_if("box");
  facts.cut = map.numbers_if("cut");
  facts.im2col = map.expression_if("im2col", ValueKind::truth);
  facts.lower = map.numbers_if("lower");
  facts.upper = map.numbers_if("upper");
  facts.offsets = map.numbers_if("offsets");
  if (facts.box.empty())
    map.refuse("box", "lacks 'box'", "write box = [\"128\", \"8\"]: bytes of a row, then elements");
}

void CatalogueReader::read_work_facts(const Source& source) {
  const auto files = fact_files(source);
  FactTable works(catalogue_, files, "works", {"producer", "consumer", "amount", "behind", "fixed"},
                  status_);
  WorkFacts& facts = component_of(source).work;
  facts.producer = works.expression("producer", ValueKind::truth, "producer = \"CONDITION\"");
  facts.consumer = works.expression("consumer", ValueKind::truth, "consumer = \"CONDITION\"");
  facts.amount = works.expression("amount", ValueKind::number, "amount = 0, or an expression");
  facts.behind = works.expression_if("behind", ValueKind::number);
  facts.fixed = works.expression_if("fixed", ValueKind::truth);
  facts.product.multiplies = has_table(files, "product");
  if (!facts.product.multiplies) return;
  FactTable product(catalogue_, files, "product", {"rows", "columns", "blocks"}, status_);
  facts.product.rows = product.expression("rows", ValueKind::number, "rows = 64, or an expression");
  facts.product.columns =
      product.expression("columns", ValueKind::number, "columns = 128, or an expression");
  facts.product.blocks = product.expression_if("blocks", ValueKind::number);
}

// Capabilities are declared in axes.toml, so that a typo is found; each is a name of expressions.
void CatalogueReader::read_capabilities(const Source& source) {
  base::TomlReader reader = top(source);
  const TomlValue* declared = reader.table("capabilities");
  if (declared == nullptr) return;
  for (const ComponentKind kind : component_kinds) {
    const TomlValue* list = declared->find(to_string(kind));
    if (list == nullptr || !status_) continue;
    for (const Source& one : sources_)
      if (!one.is_common && one.kind == kind) read_can(one, list->keys);
    for (const std::string& capability : list->keys) {
      Vocabulary::Set set{static_cast<int>(kind), {}};
      for (const Component& component : catalogue_.components(kind))
        if (std::find(component.can.begin(), component.can.end(), capability) !=
            component.can.end())
          set.words.push_back(component.word);
      catalogue_.vocabulary_.add_set(fmt::format("{}_can_{}", to_string(kind), capability),
                                     std::move(set));
    }
  }
}

void CatalogueReader::read_can(const Source& source, const std::vector<std::string>& valid) {
  base::TomlReader reader = top(source);
  std::vector<std::string>& can = component_of(source).can;
  const std::vector<FactTable::File> files = fact_files(source);
  const auto has_it = [](const FactTable::File& file) {
    return file.table->find("can") != nullptr;
  };
  const auto file = std::find_if(files.begin(), files.end(), has_it);
  if (file == files.end())
    return reader.refuse({}, "lacks 'can'", "write can = [], or what axes.toml declares");
  if (file == files.begin())
    can = reader.words("can");
  else
    for (const TomlValue& item : file->table->find("can")->items) can.push_back(item.text);
  for (const std::string& capability : can)
    if (std::find(valid.begin(), valid.end(), capability) == valid.end())
      reader.refuse("can", fmt::format("no capability '{}'", capability),
                    base::nearest_word_hint(capability, valid));
}

}  // namespace phasebit::catalogue
