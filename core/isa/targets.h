// What we know of an architecture that ptxas can assemble for. An architecture that is not in
// targets.toml can be assembled, but its SASS is not gated and no number of it is shown.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::isa {

inline constexpr int registers_per_sm = 65536;  // 7.5 and later

struct Target {
  std::string name;    // "sm_90a"
  int sm = 0;          // 90
  std::string suffix;  // "", "a" or "f"
  // SASS family: turing, ampere, ada, hopper, blackwell, rubin; "" when unknown.
  std::string family;
  // Limits of one CTA and one thread (CUDA programming guide, table of compute capabilities);
  // 0 when unknown.
  int max_shared_bytes_per_cta = 0;  // dynamic shared memory, opted in
  int max_registers_per_thread = 0;
  int max_threads_per_cta = 0;
  // Limits of one SM (the same table); 0 when they are not published.
  int max_warps_per_sm = 0;
  int shared_bytes_per_sm = 0;
  int max_ctas_per_sm = 0;
};

// "sm_90a" -> Target without family and limits. Step::usage when it is not such a word.
Result<Target> parse_target(std::string_view name);

// The targets.toml of the program's data; families and limits by SM number.
class TargetTable {
 public:
  static Result<TargetTable> load();  // of core/isa/targets.toml, which is part of the program
  static Result<TargetTable> read(std::string_view text, const std::string& file);
  // The target with what is known of it. Its family is empty when its SM number is not in the
  // table.
  Result<Target> find(std::string_view name) const;
  // Where code for the target of a PTX file may run, of what is known: that SM number alone ("a"),
  // later ones of its major version ("f"), or all later ones. All where it is none of these.
  std::vector<Target> runs_on(std::string_view name) const;
  // Every SASS family of the table, once, in its order.
  std::vector<std::string> families() const;
  // Families that assemble the verbs as an older one does, oldest first: where a component names
  // one nowhere, its rules for the older one hold for it too.
  struct Alike {
    std::string family, like;
  };
  const std::vector<Alike>& alike() const { return alike_; }

 private:
  std::vector<Target> rows_;  // one per SM number, no suffix
  std::vector<Alike> alike_;
};

// What any GPU takes (CUDA C++ Programming Guide, technical specifications per compute capability).

inline constexpr int most_threads_of_cta = 1024;
inline constexpr int most_ctas_of_cluster = 16;
inline constexpr int most_shared_bytes = 227 << 10;
inline constexpr int most_sms = 1024;  // beyond every GPU's

}  // namespace phasebit::isa
