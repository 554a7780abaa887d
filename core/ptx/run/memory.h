// Memory with a shadow: each word has its last write and the reads since.
#pragma once

#include "core/ptx/run/clocks.h"
#include "core/ptx/run/instruction.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {

// Whose address a value is: a number, what is made of addresses, or an index of Machine::bases_.
using Base = std::uint16_t;
inline constexpr Base no_base = 0, made_of_address = 1;

// An address that memory holds, and which thread of the launch stored it.
struct HeldAddress {
  Base base = no_base;
  std::int32_t thread = -1;
};

// What one thread knows of itself, besides what it knows of others: its own time, and its channels.
struct OwnClock {
  Component component = no_component;
  std::uint32_t clock = 0;
};

// Whose accesses an access comes after.
struct Viewer {
  const Clocks* clocks = nullptr;
  Component thread = no_component;
  const std::vector<OwnClock>* channels = nullptr;
  bool is_weak = false;  // it may know of other CTAs by a wait at CTA scope alone
  bool knows(const Epoch& epoch) const;
  // The same of what a warp of its warpgroup read.
  bool knows_of_group(const Epoch& epoch) const;
};

struct Access {
  Epoch epoch;
  std::uint32_t pc = 0;
  std::int32_t thread = 0;    // of the launch, for reports
  std::uint8_t bytes = 0xf;   // of the word
  std::uint8_t width = 0;     // bytes of each of its elements
  Scope scope = Scope::none;  // of a strong one: two of them do not race if it holds both
  bool is_write : 1 = false;
  bool is_atomic : 1 = false;  // its read and its write are one
  bool is_async : 1 = false;   // of the asynchronous proxy
  bool is_again : 1 = false;   // a store of what is there already
  bool is_opaque : 1 = false;  // a store of a value that is not computed
  bool is_group : 1 = false;   // a read by wgmma: Machine::products_of says of which component
  bool operator==(const Access&) const = default;
};

// The bits of a value of so many bytes.
inline std::uint64_t bits_of_bytes(std::uint64_t size) {
  return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
}

// How an access comes after an earlier one of the same word: at all; before or after it, without a
// race, although one of them is told which; as stores of lanes by one instruction; not in the
// asynchronous proxy, where the earlier one is a read; at CTA scope, from another CTA; not in that
// proxy, where the earlier one is a write; not. `other_warp`: what is known is that another warp of
// a warpgroup has read.
enum class Ordering : std::uint8_t {
  full,
  strong,
  one_store,
  other_warp,
  read_not_in_proxy,
  weak,
  not_in_proxy,
  none
};

struct Conflict {
  Access earlier, later;
  std::uint64_t offset = 0;
  Ordering is = Ordering::none;
};

class Region {
 public:
  // `initial`: what it holds, from the first word on, then zeros; it must outlive the
  // region.
  Region(std::string name, std::uint64_t base, std::uint64_t bytes,
         const std::vector<std::uint32_t>* initial = nullptr);

  std::uint64_t read(std::uint64_t offset, int size) const;
  void write(std::uint64_t offset, int size, std::uint64_t value);
  void copy_from(const Region& from, std::uint64_t source, std::uint64_t to, std::uint64_t size);
  // Whether it holds that already, all of it known.
  bool holds(const Region& from, std::uint64_t source, std::uint64_t to, std::uint64_t size) const;

  // Why a value in memory is not known for sure: an index that the machine gives; 0: it is.
  std::uint32_t unsure(std::uint64_t offset, int size) const;
  void set_unsure(std::uint64_t offset, int size, std::uint32_t why);
  // Whose address is there: of a part of one, made_of_address. What is written is a number until it
  // is said to be an address.
  HeldAddress held(std::uint64_t offset, std::uint64_t size) const;
  void hold(std::uint64_t offset, std::uint64_t size, HeldAddress address);

  // Whether the run has written to one of these bytes' words.
  bool is_written(std::uint64_t offset, std::uint64_t size) const;

  // Notes an access of `size` bytes, and gives the first earlier one that it conflicts with.
  std::optional<Conflict> touch(std::uint64_t offset, std::uint64_t size, Access access,
                                const Viewer& viewer);

  std::string name;
  std::uint64_t base, bytes;
  int cta = -1;           // of shared memory: of the launch
  int threads = 1 << 30;  // components of a CTA
  int ctas_of_cluster = 1;
  bool is_constant = false;
  bool is_supposed = false;          // that it holds its initialiser still: said when that is read
  std::uint32_t initial_unsure = 0;  // why what it holds at first is not known
  std::uint64_t first_unsure = 0;    // from which byte on

 private:
  struct Shadow {
    Access write, read;
    // What was there before the last write of another value.
    Access past_write, past_read;
    bool operator==(const Shadow&) const = default;
  };
  struct Word : Shadow {
    std::uint32_t value = 0, unsure = 0;
    std::uint8_t unsure_bytes = 0;
    std::uint32_t more = 0;  // of more_: further accesses
    std::uint32_t past = 0;  // of more_: further ones before the last write of another value
  };
  static constexpr std::size_t page = 256;
  using Page = std::array<Word, page>;

  Word& word(std::uint64_t index);
  const Word* known_word(std::uint64_t index) const;
  std::uint32_t initial_word(std::uint64_t index) const;
  std::uint32_t initial_why(std::uint64_t index) const {
    return 4 * index >= first_unsure ? initial_unsure : 0;
  }
  void forget_address(std::uint64_t index, std::uint64_t size);
  std::vector<Access>& more_for(std::uint32_t& list);
  void note(Word& word, const Access& access, const Viewer& viewer);
  const Access* conflict(const Word& word, const Access& access, const Viewer& viewer,
                         Ordering& is) const;
  Ordering ordering(const Access& earlier, const Access& later, const Viewer& viewer) const;
  bool are_strong(const Access& one, const Access& other) const;

  // A word's part of an address.
  enum class Part : std::uint8_t { whole, low, high, other };
  struct HeldPart {
    HeldAddress address;
    Part part = Part::whole;
  };

  const std::vector<std::uint32_t>* initial_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint64_t, HeldPart> held_;  // by word
  std::vector<std::vector<Access>> more_{1};          // the first is empty
  std::vector<Access> more_before_, more_after_, past_before_, past_after_;
};

}  // namespace phasebit::ptx::run
