#include "core/ptx/head/clocks.h"

#include "core/isa/opcodes.h"
#include "core/launch/abi.h"
#include "core/ptx/flow/local.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

constexpr long clock_bytes = sizeof launch::SampleRecord{}.clock_start;

bool writes_memory(const PtxStatement& one) {
  if (one.name.find(".shared") != std::string::npos && !one.name.starts_with("cp.")) return false;
  if (one.name.find(".local") != std::string::npos) return false;
  return is(one, PtxFact::store, PtxFact::reduction, PtxFact::atomic) ||
         (one.name.starts_with("cp.") && one.name.find(".global.shared") != std::string::npos);
}

// Names that may hold the address of a record: made of the parameter that has it, whatever the way
// to a statement.
class RecordPointers {
 public:
  explicit RecordPointers(const std::vector<PtxStatement>& statements) : parsed_(statements) {
    resolve();
    find_computed();
    for (std::size_t i = 0; i < parsed_.size(); ++i) take_parameter(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < parsed_.size(); ++i)
        if (makes_values(parsed_[i]) && has_some(uses_[i].read, pointers_))
          for (const Name& name : uses_[i].written)
            changed = pointers_.insert(name).second || changed;
    }
  }

  bool is_address_of(std::size_t i) const { return has_some(uses_[i].address, pointers_); }

 private:
  using Name = std::pair<int, std::string>;  // the block that declares it, and the name
  struct Uses {
    std::vector<Name> read, written, address;
  };

  static bool makes_values(const PtxStatement& one) {
    return !is(one, PtxFact::load, PtxFact::store, PtxFact::atomic, PtxFact::compares);
  }
  static bool has_some(const std::vector<Name>& names, const std::set<Name>& some) {
    return std::any_of(names.begin(), names.end(),
                       [&](const Name& name) { return some.contains(name); });
  }

  void resolve() {
    std::vector<std::pair<int, std::set<std::string>>> blocks = {{0, {}}};
    int last = 0;
    const auto all = [&](const std::vector<std::string>& names) {
      std::vector<Name> made;
      for (const std::string& name : names) {
        const auto block = std::find_if(blocks.rbegin(), blocks.rend(),
                                        [&](const auto& one) { return one.second.contains(name); });
        made.emplace_back(block == blocks.rend() ? 0 : block->first, name);
      }
      return made;
    };
    for (const PtxStatement& one : parsed_) {
      Uses& uses = uses_.emplace_back();
      if (one.part == PtxStatement::Part::brace) {
        if (one.name == "{")
          blocks.push_back({++last, {}});
        else if (blocks.size() > 1)
          blocks.pop_back();
      } else if (one.part == PtxStatement::Part::directive && one.name.starts_with(".reg")) {
        blocks.back().second.insert(one.operands.begin(), one.operands.end());
      } else if (one.part == PtxStatement::Part::instruction) {
        uses.read = all(read_names(one));
        uses.written = all(written_names(one));
        for (const std::string& operand : one.operands)
          if (const auto to = operand.starts_with('[') ? flow::address_of(operand) : std::nullopt)
            for (Name& name : all({to->base})) uses.address.push_back(std::move(name));
      }
    }
  }

  // Names that hold something else than the address of a parameter, "mov.b64 %rd1, pb".
  void find_computed() {
    std::set<Name> written;
    for (const Uses& one : uses_) written.insert(one.written.begin(), one.written.end());
    for (std::size_t i = 0; i < parsed_.size(); ++i) {
      const std::vector<Name>& read = uses_[i].read;
      const bool is_place = is(parsed_[i], PtxFact::moves) && read.size() == 1 &&
                            read[0].second == parsed_[i].operand(1) && !written.contains(read[0]);
      if (!is_place) computed_.insert(uses_[i].written.begin(), uses_[i].written.end());
    }
  }

  // "ld.param.v2.u64 {a, samples}, [pb]"; one that takes what a register says may take it too.
  void take_parameter(std::size_t i) {
    const PtxStatement& one = parsed_[i];
    if (!one.name.starts_with("ld.param")) return;
    const auto from = flow::address_of(one.operand(1));
    const std::vector<Name>& written = uses_[i].written;
    const bool is_known = from && !has_some(uses_[i].address, computed_);
    const long bytes =
        stored_bytes(one.name) / static_cast<long>(std::max<std::size_t>(1, written.size()));
    constexpr long begin = offsetof(launch::KernelParams, samples), end = begin + 8;
    for (std::size_t n = 0; n < written.size(); ++n) {
      const long at = from ? from->offset + static_cast<long>(n) * bytes : 0;
      if (!is_known || (at < end && begin < at + bytes)) pointers_.insert(written[n]);
    }
  }

  const std::vector<PtxStatement>& parsed_;
  std::vector<Uses> uses_;
  std::set<Name> computed_, pointers_;
};

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
  // Start and end, clock and timer.
  std::set<std::pair<std::string, bool>> fields_read() const {
    std::set<std::pair<std::string, bool>> fields;
    for (std::size_t i = 0; i < count_; ++i)
      if (is_clock_verb(source_[i]) && (is_clock(i) || is_timer(i)))
        fields.emplace(source_[i].verb, is_timer(i));
    return fields;
  }
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

  // Of what a store stores, "{clock_start, clock_end}": so much is what was read.
  long kept_bytes(const PtxStatement& one) const {
    const auto elements = std::count(one.operand(1).begin(), one.operand(1).end(), ',') + 1;
    const std::vector<std::string> names = names_in(one.operand(1));
    return stored_bytes(one.name) / elements *
           std::count_if(names.begin(), names.end(),
                         [&](const std::string& name) { return kept_.contains(name); });
  }

  // Code without a role stores what was read, and from then on, up to the exit, nobody stores
  // anything else there: nothing at these bytes, and nothing by an address that may be theirs.
  void check_record() {
    std::vector<std::pair<long, long>> taken;
    std::string base;
    long bytes = 0;  // that hold what was read
    for (std::size_t i = 0; i < count_; ++i) {
      const PtxStatement& one = parsed_[i];
      if (is(one, PtxFact::exits, PtxFact::returns) && one.guard.empty()) base.clear();
      if (!writes_memory(one)) continue;
      const bool stores = is(one, PtxFact::store);
      const bool is_records = source_[i].role.empty() && source_[i].verb.empty();
      const bool kept = is_records && stores && has(kept_, read_names(one));
      if (base.empty() && !kept) continue;
      const auto to = flow::address_of(one.operand(0));
      const long begin = to ? to->offset : 0, end = begin + stored_bytes(one.name);
      const bool free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
        return begin < other.second && other.first < end;
      });
      if (base.empty() && to) base = to->base;
      if (!is_records || !stores || !to || to->base != base || !free)
        complain(i, "may write where the clocks are stored");
      else if (kept)
        taken.emplace_back(begin, end);
      if (kept) bytes += kept_bytes(one);
    }
    const long wanted = clock_bytes * static_cast<long>(fields_read().size());
    // nvcc carries what was read to the record in a way that is not followed; a run shows it.
    if (bytes == 0) return;
    if (bytes < wanted)
      found_.push_back(fmt::format(
          "the record is not made of the clock reads: {} of their {} bytes", bytes, wanted));
    check_pointers();
  }

  // A role, and a verb outside of the roles, has no business with the records.
  void check_pointers() {
    const RecordPointers pointers(parsed_);
    for (std::size_t i = 0; i < count_; ++i) {
      const bool is_records = source_[i].role.empty() && source_[i].verb.empty();
      if (is(parsed_[i], PtxFact::load) || (is_records && is(parsed_[i], PtxFact::store)) ||
          !pointers.is_address_of(i))
        continue;
      complain(i, "may write where the clocks are stored");
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
