// The facts of a variant's components, evaluated for it: what plan and templates depend on.
#pragma once

#include "core/launch/variant_key.h"
#include "gen/space/catalogue.h"
#include "gen/space/facts.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::kernel {

// A variant's point with the figures of its plan in it: what expressions of facts, flags, numbers
// and gates are evaluated on.

class Figures {
 public:
  // Step::spec when the key is of another catalogue.
  static Result<Figures> of(const space::Catalogue& catalogue, const launch::VariantKey& variant);

  void set(const std::map<std::string, int>& figures);
  const space::Component& chosen(space::ComponentKind kind) const {
    return catalogue_->chosen(kind, point_);
  }
  const space::Catalogue& catalogue() const { return *catalogue_; }
  const space::Values& point() const { return point_; }

  // Step::spec when it names a figure that is not set, or cannot be evaluated.
  Result<int> number(const space::Expression& expression) const;
  Result<std::int64_t> wide_number(const space::Expression& expression) const;
  // A fact that a component may lack: 0 and false then.
  Result<int> number(const std::optional<space::Expression>& expression) const;
  Result<bool> holds(const std::optional<space::Expression>& expression) const;
  // Whether every figure that it names is set.
  bool knows(const space::Expression& expression) const;

 private:
  const space::Catalogue* catalogue_ = nullptr;
  space::Values point_;
  std::map<std::string, int> figures_;
};

// Arrivals that an mbarrier's word has room for; a protocol may say less.
constexpr int most_expected = (1 << 20) - 1;

struct PlanFacts {
  std::vector<std::string> can;  // of the protocol
  int words = 0, extra_bytes = 0;
  bool keeps_address = false, counts_laps = false;
  // Arrivals of the role that hands over that complete a phase; and with those of the role that
  // waits, where a wait arrives.
  int handed_full = 0, handed_empty = 0;
  int full_arrivals = 0, empty_arrivals = 0;
  int most_arrivals = 0;
  bool waits_arrive = false;
  bool tries_early = false;
  int ahead = 0;
  space::ReadBack read_full = space::ReadBack::none, read_empty = space::ReadBack::none;
  bool empty_in_all = false;
  bool producer_works = false, consumer_works = false;
  int releases_behind = 0;  // items by which a consumer's release is late, 0 or 1
  bool fixed_warps = false;
  bool can_do(std::string_view capability) const;
  // Barriers of a slot whose end state is read back.
  int read_words() const {
    return (read_full != space::ReadBack::none ? 1 : 0) +
           (read_empty != space::ReadBack::none ? 1 : 0);
  }
};

// `figures` holds those of the warps' layout.
Result<PlanFacts> evaluate_facts(const Figures& figures);

}  // namespace phasebit::kernel
