// The facts of a variant's components, evaluated for it: what plan and templates depend on.
#pragma once

#include "gen/catalogue/facts.h"
#include "gen/probes/figures.h"

#include <string>
#include <vector>

namespace phasebit::probes {

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
  catalogue::ReadBack read_full = catalogue::ReadBack::none, read_empty = catalogue::ReadBack::none;
  bool empty_in_all = false;
  bool producer_works = false, consumer_works = false;
  int releases_behind = 0;  // items by which a consumer's release is late, 0 or 1
  bool fixed_warps = false;
  bool can_do(std::string_view capability) const;
  // Barriers of a slot whose end state is read back.
  int read_words() const {
    return (read_full != catalogue::ReadBack::none ? 1 : 0) +
           (read_empty != catalogue::ReadBack::none ? 1 : 0);
  }
};

// `figures` holds those of the warps' layout.
Result<PlanFacts> evaluate_facts(const Figures& figures);

}  // namespace phasebit::probes
