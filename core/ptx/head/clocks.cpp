#include "core/ptx/head/clocks.h"

#include "core/isa/opcodes.h"
#include "core/ptx/flow/local.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

namespace phasebit::ptx::head {

using isa::PtxFact;

namespace {

bool is_clock_verb(const launch::SourceLine& line) {
  return line.verb == "clock_start" || line.verb == "clock_end";
}

bool reads_register(const PtxStatement& statement, std::string_view prefix) {
  return statement.part == PtxStatement::Part::instruction && statement.operands.size() == 2 &&
         statement.operand(1).starts_with(prefix);
}

// "st.global.v2.u64": 16
long stored_bytes(const std::string& name) {
  const std::size_t type = name.find_last_not_of("0123456789") + 1;
  const long bits = type < name.size() ? std::stol(name.substr(type)) : 8;
  const std::size_t vector = name.find(".v");
  const bool several = vector != std::string::npos && std::isdigit(name[vector + 2]) != 0;
  return bits / 8 * (several ? name[vector + 2] - '0' : 1);
}

class Clocks {
 public:
  Clocks(const std::vector<PtxStatement>& statements, const launch::SourceMap& source)
      : source_(source), parsed_(statements), count_(std::min(statements.size(), source.size())) {
    for (std::size_t i = 0; i < count_; ++i)
      if (is_clock_verb(source_[i]) && (is_clock(i) || is_timer(i)))
        for (const std::string& name : written_names(parsed_[i])) kept_.insert(name);
    follow_copies();
  }

  std::vector<std::string> find(FigureBy by) {
    for (std::size_t i = 0; i < count_; ++i) check_use(i);
    check_record();
    for (const auto& [verb, reads] : reads_by_verb()) check_pair(verb, reads, by);
    return std::move(found_);
  }

 private:
  using Verb = std::pair<std::string, std::string>;  // role, verb
  struct Reads {
    std::vector<std::size_t> clocks, timers;
  };

  bool is_clock(std::size_t i) const { return reads_register(parsed_[i], "%clock"); }
  bool is_timer(std::size_t i) const { return reads_register(parsed_[i], "%globaltimer"); }
  bool is_copy(std::size_t i) const {
    return is(parsed_[i], PtxFact::moves) && parsed_[i].operands.size() == 2;
  }
  static bool has(const std::set<std::string>& names, const std::vector<std::string>& some) {
    return std::any_of(some.begin(), some.end(),
                       [&](const std::string& name) { return names.contains(name); });
  }

  // LLVM joins the values of several roles by copies.
  void follow_copies() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < count_; ++i)
        if (is_copy(i) && kept_.contains(parsed_[i].operand(1)))
          changed = kept_.insert(parsed_[i].operand(0)).second || changed;
    }
  }

  std::map<Verb, Reads> reads_by_verb() const {
    std::map<Verb, Reads> reads;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_clock_verb(source_[i])) continue;
      Reads& own = reads[{source_[i].role, source_[i].verb}];
      if (is_clock(i)) own.clocks.push_back(i);
      if (is_timer(i)) own.timers.push_back(i);
    }
    return reads;
  }

  void complain(std::size_t i, std::string_view what) {
    found_.push_back(fmt::format("'{} {}' at {} {}", parsed_[i].name,
                                 fmt::join(parsed_[i].operands, ", "), source_[i].place(), what));
  }

  // A role that is not timed leaves zeros.
  void check_use(std::size_t i) {
    const bool own_read = is_clock_verb(source_[i]) && (is_clock(i) || is_timer(i));
    if (parsed_[i].part != PtxStatement::Part::instruction || own_read) return;
    const bool reads = has(kept_, read_names(parsed_[i]));
    if (has(kept_, written_names(parsed_[i])) && !(is_copy(i) && (reads || is_zero(i))))
      return complain(i, "changes what the clock verbs have read");
    const bool stores = is(parsed_[i], PtxFact::store);
    if (reads && !stores && !is_copy(i) && !is_clock_verb(source_[i]))
      complain(i, "counts with what the clock verbs have read");
  }

  // Code without a role stores what was read, and from then on, up to the exit, nothing else there:
  // nothing at these bytes, and nothing by an address that may be theirs.
  void check_record() {
    std::vector<std::pair<long, long>> taken;
    std::string base;
    for (std::size_t i = 0; i < count_; ++i) {
      const PtxStatement& one = parsed_[i];
      if (is(one, PtxFact::exits, PtxFact::returns) && one.guard.empty()) base.clear();
      const bool stores = is(one, PtxFact::store);
      if (!source_[i].role.empty() || !source_[i].verb.empty() ||
          !is(one, PtxFact::store, PtxFact::reduction, PtxFact::atomic))
        continue;
      const bool kept = stores && has(kept_, read_names(parsed_[i]));
      if (base.empty() && !kept) continue;
      const auto to = flow::address_of(parsed_[i].operand(0));
      const long begin = to ? to->offset : 0, end = begin + stored_bytes(one.name);
      const bool free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
        return begin < other.second && other.first < end;
      });
      if (base.empty() && to) base = to->base;
      if (!stores || !to || to->base != base || !free)
        complain(i, "may write where the clocks are stored");
      else if (kept)
        taken.emplace_back(begin, end);
    }
  }

  bool is_zero(std::size_t i) const { return parsed_[i].operand(1) == "0"; }

  // Between may be what is not an instruction of a file, and moves: LLVM puts them anywhere.
  bool are_neighbours(std::size_t first, std::size_t second) const {
    return std::all_of(parsed_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                       parsed_.begin() + static_cast<std::ptrdiff_t>(second),
                       [](const PtxStatement& one) {
                         return one.part != PtxStatement::Part::instruction || one.name.empty() ||
                                (is(one, PtxFact::moves) && !reads_register(one, "%clock"));
                       });
  }

  void check_pair(const Verb& verb, const Reads& reads, FigureBy by) {
    if (by == FigureBy::timer && reads.timers.size() != 1)
      found_.push_back(
          fmt::format("{} ({}): {} reads of %globaltimer, which the figure is made of, not 1",
                      verb.second, verb.first, reads.timers.size()));
    for (const std::size_t timer : reads.timers)
      if (std::none_of(reads.clocks.begin(), reads.clocks.end(), [&](std::size_t clock) {
            return are_neighbours(std::min(clock, timer), std::max(clock, timer));
          }))
        complain(timer, "is not next to the clock read of its verb");
  }

  const launch::SourceMap& source_;
  const std::vector<PtxStatement>& parsed_;
  std::size_t count_;
  std::set<std::string> kept_;  // names that hold what was read
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> find_clock_changes(const std::vector<PtxStatement>& statements,
                                            const launch::SourceMap& source, FigureBy by) {
  return Clocks(statements, source).find(by);
}

}  // namespace phasebit::ptx::head
