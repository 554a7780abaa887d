#include "core/ptx/head_check.h"

#include "core/base/nearest.h"
#include "core/ptx/head_words.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace phasebit {
namespace {

constexpr int named_barriers = 16;

// The numbers of ".reqntid 64, 1, 1"; missing ones are not there.
std::vector<int> numbers_of(const PtxStatement& directive) {
  std::vector<int> numbers;
  for (const std::string& operand : directive.operands) {
    int number = 0;
    std::from_chars(operand.data(), operand.data() + operand.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

int product(const std::vector<int>& numbers) {
  int all = 1;
  for (const int number : numbers) all *= number;
  return all;
}

// Bytes of ".param .align 8 .b8 pb[96]"; 0 of what is no array of bytes.
int bytes_of(const std::string& parameter) {
  const size_t open = parameter.find('[');
  if (open == std::string::npos || parameter.find(".b8 ") == std::string::npos) return 0;
  return std::atoi(parameter.c_str() + open + 1);
}

class HeadCheck {
 public:
  HeadCheck(const Head& head, const PtxFile& file, const PtxFunction& entry)
      : head_(head), file_(file), entry_(entry) {
    for (const size_t at : entry.directives) {
      const PtxStatement& directive = file.statements[at].parsed;
      if (directive.name.starts_with('.'))
        text_bounds_[directive.name.substr(1)] = numbers_of(directive);
    }
  }

  Status check() const {
    PHASEBIT_TRY(check_parameters());
    PHASEBIT_TRY(check_bounds());
    PHASEBIT_TRY(check_roles());
    PHASEBIT_TRY(check_clocks());
    for (const HeadBarrier& barrier : head_.barriers) PHASEBIT_TRY(check_barrier(barrier));
    return check_registers();
  }

 private:
  template <typename... Args>
  tl::unexpected<Error> complain(const std::string& key, std::string hint,
                                 fmt::format_string<Args...> format, Args&&... args) const {
    auto at = head_.where.find(key);
    if (at == head_.where.end()) at = head_.where.find("");
    const std::string where = at == head_.where.end() ? file_.name : at->second;
    return with_hint(fail(Step::spec, "{}: {}: {}", where, key,
                          fmt::format(format, std::forward<Args>(args)...)),
                     std::move(hint));
  }

  Status check_parameters() const {
    const int block = entry_.parameters.size() == 1 ? bytes_of(entry_.parameters.front().text) : 0;
    const int wanted = sizeof(KernelParams);
    if (block != wanted)
      return complain("launch",
                      fmt::format("write `{}(.param .align 8 .b8 pb[{}])`", entry_.name, wanted),
                      "'{}' does not take the parameter block of {} bytes", entry_.name, wanted);
    for (const HeadBuffer& buffer : head_.buffers)
      if (buffer.parameter % 8 != 0 || buffer.parameter + 8 > wanted)
        return complain("buffer " + buffer.name,
                        "its address is 8 bytes, at a multiple of 8 within the block",
                        "parameter {} of a block of {} bytes", buffer.parameter, wanted);
    return {};
  }

  Status check_bounds() const {
    const int threads = head_.launch.threads;
    if (threads % 32 != 0)
      return complain("threads", "a CTA is made of whole warps", "{} is no multiple of 32",
                      threads);
    for (const auto& [name, numbers] : head_.bounds) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end())
        return complain(name,
                        fmt::format("write `.{} {}` behind the parameters, or take it out "
                                    "of the head",
                                    name, fmt::join(numbers, ", ")),
                        "the text has no .{}", name);
      if (text->second != numbers)
        return complain(name, fmt::format("write `{} = [{}]`", name, fmt::join(text->second, ", ")),
                        "[{}], the text has .{} {}", fmt::join(numbers, ", "), name,
                        fmt::join(text->second, ", "));
    }
    for (const char* name : {"reqntid", "maxntid"}) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end()) continue;
      const int most = product(text->second);
      if (name == std::string_view("reqntid") ? threads == most : threads <= most) continue;
      return complain("threads", fmt::format("write `threads = {}`", most),
                      "{}, the text has .{} {}", threads, name, fmt::join(text->second, ", "));
    }
    return {};
  }

  Status check_roles() const {
    const LaunchShape& launch = head_.launch;
    bool timed = false;
    for (const RoleSlice& slice : launch.slices) {
      const std::string key = fmt::format("role {}", word_of(slice.role));
      if (slice.warp < 0 || slice.warp >= launch.warps())
        return complain(key, fmt::format("warps 0 to {}", launch.warps() - 1),
                        "warp {} of {} threads", slice.warp, launch.threads);
      if (slice.rank_in_cluster >= launch.cluster_size)
        return complain(key, "write the cluster's size as `cluster_size` of [launch]",
                        "cta {} of a cluster of {}", slice.rank_in_cluster, launch.cluster_size);
      timed = timed || slice.role == launch.timed_role;
    }
    if (timed) return {};
    const std::string word = word_of(launch.timed_role);
    return complain("timed_role", "name one of the roles", "no warp is {}", word);
  }

  // By the headings; without any in the entry the clock reads are counted.
  Status check_clocks() const {
    std::set<std::string> read;
    bool headed = false;
    int reads = 0;
    for (size_t at = entry_.open; at < entry_.close; ++at) {
      const PlacedStatement& statement = file_.statements[at];
      headed = headed || statement.heading >= 0;
      if (statement.text.find("%clock") == std::string::npos) continue;
      ++reads;
      if (statement.heading < 0) continue;
      const PtxHeading& heading = file_.headings[static_cast<size_t>(statement.heading)];
      read.insert(heading.role + " " + heading.verb);
    }
    for (const Role role : head_.clocks) {
      const std::string word = word_of(role);
      for (const char* verb : {"clock_start", "clock_end"}) {
        if (headed ? read.contains(word + " " + verb) : reads >= 2) continue;
        return complain(
            "role " + word,
            fmt::format("read %clock64 below a heading `// [{} {}] ...`, or write `clock = false`",
                        word, verb),
            "the head declares its clock, the text reads none below [{} {}]", word, verb);
      }
    }
    return {};
  }

  Status check_barrier(const HeadBarrier& barrier) const {
    const std::string key = "barrier " + barrier.name;
    const int bytes = barrier_bytes(barrier.kind), shared = head_.launch.dynamic_shared_bytes;
    if (barrier.kind == "named") {
      const int last = barrier.base + barrier.stride * (barrier.count - 1);
      if (last < named_barriers) return {};
      return complain(key, "a CTA has barriers 0 to 15", "its last barrier is {}", last);
    }
    if (bytes == 0) return {};
    const int end = barrier.base + barrier.stride * (barrier.count - 1) + bytes;
    if (end > shared)
      return complain(key, fmt::format("write `shared_bytes = {}` or more in [launch]", end),
                      "it ends at byte {}, the kernel has {} bytes of shared memory", end, shared);
    if (barrier.base % 8 != 0 || barrier.stride % 8 != 0)
      return complain(key, "base and stride are multiples of 8",
                      "base {} and stride {} do not keep it at multiples of 8", barrier.base,
                      barrier.stride);
    return {};
  }

  std::set<std::string> declared_registers() const {
    std::set<std::string> names;
    for (size_t at = entry_.open; at < entry_.close; ++at) {
      const PtxStatement& statement = file_.statements[at].parsed;
      if (statement.part != PtxStatement::Part::directive || !statement.name.starts_with(".reg"))
        continue;
      for (const std::string& operand : statement.operands)
        for (const std::string& name : names_in(operand)) names.insert(name);
    }
    return names;
  }

  Status check_registers() const {
    if (head_.registers.empty()) return {};
    const std::set<std::string> names = declared_registers();
    for (const HeadRegisters& own : head_.registers)
      for (const std::string& name : {own.item, own.slot, own.cta})
        if (!name.empty() && !names.contains(name))
          return complain(fmt::format("registers {}", word_of(own.role)),
                          nearest_word_hint(name, {names.begin(), names.end()}),
                          "the text declares no register '{}'", name);
    return {};
  }

  const Head& head_;
  const PtxFile& file_;
  const PtxFunction& entry_;
  std::map<std::string, std::vector<int>> text_bounds_;
};

}  // namespace

Status check_head(const Head& head, const PtxFile& file, const PtxFunction& entry) {
  return HeadCheck(head, file, entry).check();
}

}  // namespace phasebit
