#include "core/ptx/head/payload.h"

#include "core/base/nearest.h"
#include "core/ptx/head/inline_table.h"
#include "core/ptx/head/numbers.h"

#include <algorithm>

namespace phasebit::ptx::head {

using base::TomlReader;
using base::TomlValue;

namespace {

void read_product(TomlReader& payload, const std::string& file, Status& status,
                  image::product::ProductShape& product) {
  const TomlValue* table = payload.table("product");
  if (table == nullptr) return;
  TomlReader own(file, *table, "product", {"rows", "columns", "blocks"}, status);
  product = {number(own, "rows", 0, 1), number(own, "columns", 0, 1), number(own, "blocks", 1, 1)};
}

void read_tile(TomlReader& owner, const char* key, const std::string& file, Status& status,
               image::TilePayload& into) {
  const TomlValue* table = owner.table(key);
  if (table == nullptr) return;
  TomlReader tile(file, *table, key, {"map", "at", "copies", "offsets"}, status);
  into = {tile.text("map"), numbers<int>(tile, "at"), number(tile, "copies", 1, 1),
          numbers<int>(tile, "offsets")};
}

std::string tile_text(const image::TilePayload& payload) {
  Inline tile;
  tile.text("map", payload.map);
  tile.add("at", list(payload.at));
  tile.number_if("copies", payload.copies, 1);
  if (!payload.offsets.empty()) tile.add("offsets", list(payload.offsets));
  return tile.take();
}

}  // namespace

std::string product_text(const image::product::ProductShape& product) {
  Inline one;
  one.add("rows", std::to_string(product.rows));
  one.add("columns", std::to_string(product.columns));
  one.number_if("blocks", product.blocks, 1);
  return one.take();
}

void read_payload(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  TomlReader own(
      file, value, "payload",
      {"words", "threads", "vector", "period", "tile", "reads", "copied", "kept", "product"},
      status);
  image::PayloadShape& shape = head.launch.payload;
  shape.words_per_slot = number(own, "words", 0);
  shape.consumer_threads = number(own, "threads", 0);
  shape.consumer_vector_words = number(own, "vector", 1, 1);
  shape.period = number(own, "period", 0);
  shape.thread_words = number(own, "reads", 0);
  shape.copy_words = number(own, "copied", 0);
  shape.kept_words = number(own, "kept", 0);
  if (shape.words_per_slot > 0 && shape.consumer_threads == 0)
    own.refuse({}, "lacks 'threads'", "how many threads read a slot");
  read_product(own, file, status, shape.product);
  read_tile(own, "tile", file, status, shape.tile);
}

std::string payload_text(const image::PayloadShape& payload) {
  Inline one;
  one.add("words", std::to_string(payload.words_per_slot));
  one.add("threads", std::to_string(payload.consumer_threads));
  one.number_if("vector", payload.consumer_vector_words, 1);
  one.number_if("period", payload.period, 0);
  one.number_if("reads", payload.thread_words, 0);
  one.number_if("copied", payload.copy_words, 0);
  if (payload.copy_words > 0) one.add("kept", std::to_string(payload.kept_words));
  if (payload.product.rows > 0) one.add("product", product_text(payload.product));
  if (!payload.tile.map.empty()) one.add("tile", tile_text(payload.tile));
  return one.take();
}

namespace {

template <typename Enum>
void take_word(TomlReader& reader, const char* key, const std::vector<std::string>& words,
               Enum& into) {
  const std::string text = reader.text_or(key, words.front());
  const auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end())
    return reader.refuse(key, fmt::format("no {} '{}'", key, text),
                         base::nearest_word_hint(text, words));
  into = static_cast<Enum>(at - words.begin());
}

}  // namespace

void read_stored(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  TomlReader own(file, value, "stored", {"buffer", "map", "operation", "rewrite"}, status);
  image::stores::StoreShape& stored = head.launch.stored;
  stored.buffer = own.text("buffer");
  stored.map = own.text_or("map", {});
  take_word(own, "operation", image::stores::store_operation_words(), stored.operation);
  take_word(own, "rewrite", image::stores::store_rewrite_words(), stored.rewrite);
}

std::string stored_text(const image::stores::StoreShape& stored) {
  Inline one;
  one.text("buffer", stored.buffer);
  one.text_if("map", stored.map);
  one.text_if("operation",
              image::stores::store_operation_words()[static_cast<std::size_t>(stored.operation)],
              "store");
  one.text_if("rewrite",
              image::stores::store_rewrite_words()[static_cast<std::size_t>(stored.rewrite)],
              "off");
  return one.take();
}

void read_data(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  TomlReader own(file, value, "data", {"bytes", "tile", "readers", "product", "tensor"}, status);
  image::DataShape& data = head.launch.data;
  data.bytes = own.number_or("bytes", 0);
  data.tile_bytes = number(own, "tile", 0, 4);
  data.readers = number(own, "readers", 1, 0);
  read_product(own, file, status, head.launch.payload.product);
  read_tile(own, "tensor", file, status, head.launch.payload.tile);
  if (data.bytes <= 0 || data.tile_bytes == 0 || data.bytes % data.tile_bytes != 0)
    own.refuse("bytes", fmt::format("{} bytes are no tiles of {}", data.bytes, data.tile_bytes),
               "write a multiple of `tile`");
}

std::string data_text(const image::DataShape& data, const image::PayloadShape& payload) {
  Inline one;
  one.add("bytes", std::to_string(data.bytes));
  one.add("tile", std::to_string(data.tile_bytes));
  one.number_if("readers", data.readers, 1);
  if (payload.product.rows > 0) one.add("product", product_text(payload.product));
  if (!payload.tile.map.empty()) one.add("tensor", tile_text(payload.tile));
  return one.take();
}

}  // namespace phasebit::ptx::head
