#include "core/base/word.h"

#include <array>
#include <mutex>
#include <unordered_set>

namespace phasebit::base {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

// Elements of a set stay where they are when it grows.
struct Shelf {
  std::mutex mutex;
  std::unordered_set<std::string, Hash, std::equal_to<>> words;
};

}  // namespace

const std::string& Word::nothing() {
  static const std::string empty;
  return empty;
}

const std::string& Word::shared(std::string_view text) {
  // Several, so that threads seldom wait for each other. Never destroyed: words outlive statics.
  static auto& shelves = *new std::array<Shelf, 16>;
  const std::size_t hash = Hash()(text);
  Shelf& shelf = shelves[(hash >> 7) % shelves.size()];
  const std::lock_guard lock(shelf.mutex);
  const auto known = shelf.words.find(text);
  return known != shelf.words.end() ? *known : *shelf.words.emplace(text).first;
}

}  // namespace phasebit::base
