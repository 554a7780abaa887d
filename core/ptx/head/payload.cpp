#include "core/ptx/head/payload.h"

#include "core/ptx/head/inline_table.h"
#include "core/ptx/head/numbers.h"

namespace phasebit::ptx::head {

using base::TomlReader;
using base::TomlValue;

void read_payload(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  TomlReader own(file, value, "payload", {"words", "threads", "vector", "period", "tile", "reads"},
                 status);
  image::PayloadShape& shape = head.launch.payload;
  shape.words_per_slot = number(own, "words", 0);
  shape.consumer_threads = number(own, "threads", 0);
  shape.consumer_vector_words = number(own, "vector", 1, 1);
  shape.period = number(own, "period", 0);
  shape.thread_words = number(own, "reads", 0);
  if (shape.words_per_slot > 0 && shape.consumer_threads == 0)
    own.refuse({}, "lacks 'threads'", "how many threads read a slot");
  const TomlValue* table = own.table("tile");
  if (table == nullptr) return;
  TomlReader tile(file, *table, "tile", {"map", "at", "copies"}, status);
  shape.tile = {tile.text("map"), numbers<int>(tile, "at"), number(tile, "copies", 1, 1)};
}

std::string payload_text(const image::PayloadShape& payload) {
  Inline one;
  one.add("words", std::to_string(payload.words_per_slot));
  one.add("threads", std::to_string(payload.consumer_threads));
  one.number_if("vector", payload.consumer_vector_words, 1);
  one.number_if("period", payload.period, 0);
  one.number_if("reads", payload.thread_words, 0);
  if (payload.tile.map.empty()) return one.take();
  Inline tile;
  tile.text("map", payload.tile.map);
  tile.add("at", list(payload.tile.at));
  tile.number_if("copies", payload.tile.copies, 1);
  one.add("tile", tile.take());
  return one.take();
}

void read_data(const TomlValue& value, const std::string& file, Status& status, Head& head) {
  TomlReader own(file, value, "data", {"bytes", "tile", "readers"}, status);
  image::DataShape& data = head.launch.data;
  data.bytes = own.number_or("bytes", 0);
  data.tile_bytes = number(own, "tile", 0, 4);
  data.readers = number(own, "readers", 1, 1);
  if (data.bytes <= 0 || data.tile_bytes == 0 || data.bytes % data.tile_bytes != 0)
    own.refuse("bytes", fmt::format("{} bytes are no tiles of {}", data.bytes, data.tile_bytes),
               "write a multiple of `tile`");
}

std::string data_text(const image::DataShape& data) {
  Inline one;
  one.add("bytes", std::to_string(data.bytes));
  one.add("tile", std::to_string(data.tile_bytes));
  one.number_if("readers", data.readers, 1);
  return one.take();
}

}  // namespace phasebit::ptx::head
