// What the text of a kernel is known to do in the launch that its head describes.
#pragma once

#include "core/ptx/file.h"
#include "core/ptx/head/head.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace phasebit::ptx::head {

struct TextFacts {
  // False: nothing below need be all that the text does: it calls, or a loop goes on too long.
  bool complete = true;

  // mbarrier.init, by byte offset in the dynamic shared memory.
  struct Init {
    std::size_t statement = 0;
    std::set<std::uint64_t> counts;
    bool counts_known = true;
  };
  std::map<int, Init> inits;
  bool init_places_known = true;

  // Stores to shared memory below a heading `[init]`, by byte offset.
  std::set<int> init_stores;
  bool init_stores_known = true;

  // bar and barrier instructions, by id.
  std::map<std::uint64_t, std::size_t> ids;
  bool ids_known = true;

  // Of each CTA of a cluster and of each of its threads: a bit for each role of which it may run a
  // verb.
  std::vector<std::vector<unsigned>> roles;
  // Where the text has the first statement of a verb of a role, whatever runs it.
  std::map<launch::Role, std::size_t> verbs;
};
inline unsigned bit_of(launch::Role role) {
  return 1U << static_cast<unsigned>(role);
}

TextFacts facts_of(const Head& head, const PtxFile& file, const PtxFunction& entry);

}  // namespace phasebit::ptx::head
