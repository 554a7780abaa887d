#include "core/ptx/head/check.h"

#include "core/base/nearest.h"
#include "core/base/saturated.h"
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/words.h"

#include <algorithm>
#include <set>

namespace phasebit::ptx::head {
namespace {

class HeadCheck {
 public:
  explicit HeadCheck(const CheckedHead& checked)
      : checked_(checked), head_(checked.head), file_(checked.file), entry_(checked.entry) {
    for (const size_t at : entry_.directives) {
      const PtxStatement& directive = file_.statements[at].parsed;
      if (directive.name.starts_with('.'))
        text_bounds_[directive.name.substr(1)] = numbers_of(directive);
    }
  }

  Status check() const {
    PHASEBIT_TRY(check_head_parameters(checked_));
    PHASEBIT_TRY(check_bounds());
    PHASEBIT_TRY(check_head_launch(checked_));
    PHASEBIT_TRY(check_head_roles(checked_));
    PHASEBIT_TRY(check_clocks());
    PHASEBIT_TRY(check_head_memory(checked_));
    PHASEBIT_TRY(check_head_tensor_maps(checked_));
    PHASEBIT_TRY(check_registers());
    return check_head_text(checked_);
  }

 private:
  Status check_bounds() const {
    const int threads = head_.launch.threads;
    if (threads % 32 != 0)
      return checked_.complain("threads", "a CTA is made of whole warps", "{} is no multiple of 32",
                               threads);
    for (const auto& [name, numbers] : head_.bounds) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end())
        return checked_.complain(name,
                                 fmt::format("write `.{} {}` behind the parameters, or take it out "
                                             "of the head",
                                             name, fmt::join(numbers, ", ")),
                                 "the text has no .{}", name);
      if (text->second != numbers)
        return checked_.complain(
            name, fmt::format("write `{} = [{}]`", name, fmt::join(text->second, ", ")),
            "[{}], the text has .{} {}", fmt::join(numbers, ", "), name,
            fmt::join(text->second, ", "));
    }
    for (const char* name : {"reqntid", "maxntid"}) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end()) continue;
      const std::int64_t most = base::saturated_product(text->second);
      if (name == std::string_view("reqntid") ? threads == most : threads <= most) continue;
      return checked_.complain("threads", fmt::format("write `threads = {}`", most),
                               "{}, the text has .{} {}", threads, name,
                               fmt::join(text->second, ", "));
    }
    const auto cluster = text_bounds_.find("reqnctapercluster");
    if (cluster == text_bounds_.end()) return {};
    const std::int64_t ctas = base::saturated_product(cluster->second);
    const int said = head_.launch.cluster_size;
    if (ctas == said) return {};
    return checked_.complain("cluster_size", fmt::format("write `cluster_size = {}`", ctas),
                             "{}, the text has .reqnctapercluster {}", said,
                             fmt::join(cluster->second, ", "));
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
    const image::Role timed = head_.launch.timed_role;
    if (std::find(head_.clocks.begin(), head_.clocks.end(), timed) == head_.clocks.end())
      return checked_.complain(fmt::format("role {}", word_of(timed)), "leave out `clock = false`",
                               "it is the timed role, whose clocks are the figure");
    for (const image::Role role : head_.clocks) {
      const std::string word = word_of(role);
      for (const char* verb : {"clock_start", "clock_end"}) {
        if (headed ? read.contains(word + " " + verb) : reads >= 2) continue;
        return checked_.complain(
            "role " + word,
            fmt::format("read %clock64 below a heading `// [{} {}] ...`{}", word, verb,
                        role == timed ? "" : ", or write `clock = false`"),
            "the head declares its clock, the text reads none below [{} {}]", word, verb);
      }
    }
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
          return checked_.complain(fmt::format("registers {}", word_of(own.role)),
                                   base::nearest_word_hint(name, {names.begin(), names.end()}),
                                   "the text declares no register '{}'", name);
    return {};
  }

  const CheckedHead& checked_;
  const Head& head_;
  const PtxFile& file_;
  const PtxFunction& entry_;
  std::map<std::string, std::vector<int>> text_bounds_;
};

}  // namespace

Status check_head(const Head& head, const PtxFile& file, const PtxFunction& entry) {
  return HeadCheck({head, file, entry}).check();
}

}  // namespace phasebit::ptx::head
