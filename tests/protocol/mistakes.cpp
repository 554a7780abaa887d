#include "tests/protocol/mistakes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Whether a line may have a mistake at all: all others are most of the text.
bool may_err(const std::string& line) {
  static const char* const words[] = {"bar",  "cp.async",   "fence",    "st.",
                                      "ld.",  "red.",       "_parity",  "arrivals",
                                      "bra ", "wait_group", "tcgen05.", "cluster"};
  return line.find("//") == std::string::npos &&
         std::any_of(std::begin(words), std::end(words),
                     [&](const char* word) { return line.find(word) != std::string::npos; });
}

// Where the empty barriers are, from the full ones on: "+32"; empty for a kernel without.
std::string offset_of_empty(const Lines& lines) {
  static const std::regex address(R"(mbarrier\.\S*wait\S* done, \[p_barrier(\+\d+)\])");
  std::smatch found;
  for (const std::string& line : lines)
    if (std::regex_search(line, found, address)) return found[1];
  return "";
}

// One mistake in one line, and the text in its place.
struct Operator {
  const char* kind;
  const char* pattern;
  std::string (*instead)(const std::smatch& found, const std::string& line);
};

std::string around(const std::smatch& found, const std::string& middle) {
  return found.prefix().str() + middle + found.suffix().str();
}

std::string none(const std::smatch&, const std::string&) {
  return "";
}

std::string more(const std::smatch& found, int by) {
  return std::to_string(std::stol(found[2]) + by);
}

const Operator operators[] = {
    {"arrival dropped",
     R"(^\s*(@!?\w+ )?(mbarrier\.(arrive|expect_tx|complete_tx)|bar\.arrive|)"
     R"(barrier\.cluster\.arrive|cp\.async\.mbarrier|tcgen05\.commit|st\.(release|volatile)|)"
     R"(red\.relaxed\.cluster|clusterlaunchcontrol\.try_cancel).*;)",
     none},
    {"copy dropped", R"(^\s*(@!?\w+ )?(cp\.async\.(bulk\.sh|cg|ca)|st\.async).*;)", none},
    {"init dropped", R"(^\s*(@!?\w+ )?mbarrier\.init.*;)", none},
    {"fence dropped", R"(^\s*(@!?\w+ )?(fence|wgmma\.fence).*;)", none},
    {"wait dropped",
     R"(^\s*(@!?\w+ )?(bar\.sync|barrier\.cluster\.wait|(cp\.async|wgmma)\.wait_group).*;)", none},
    {"warp's barrier dropped", R"(^\s*bar\.warp\.sync.*;)", none},
    {"wait skipped", R"(^\s*@!?\w+ bra L_(wait|poll)\w*;)", none},
    {"tail skipped", R"(@more bra L_left;)",
     [](const std::smatch& found, const std::string&) { return around(found, "bra L_left;"); }},
    {"tail cut short", R"(@more bra L_tail;)", none},
    {"arrival doubled",
     R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.(arrive|sync)|red\.relaxed\.cluster).*;)",
     [](const std::smatch&, const std::string& line) { return line + "\n" + line; }},
    {"early exit", R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.arrive|st\.(release|volatile)).*;)",
     [](const std::smatch&, const std::string& line) { return "exit;\n" + line; }},
    {"parity", R"((mov\.u32 [pc]_parity, )([01]))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + (found[2] == "0" ? "1" : "0"));
     }},
    {"bytes", R"((expect_tx.*, |cp\.async\.bulk\.sh.*\], )(\d+)([;,]))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + more(found, 16) + found[3].str());
     }},
    {"count", R"((selp\.b32 arrivals, )(\d+)(, )(\d+))",
     [](const std::smatch& found, const std::string&) {
       return around(
           found, found[1].str() + more(found, 1) + ", " + std::to_string(std::stol(found[4]) + 1));
     }},
    {"count of a named barrier", R"((bar\.(?:sync|arrive) \w+, )(\d+))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + more(found, 32));
     }},
    {"slot", R"((mbarrier\.\S*(?:wait|arrive)\S* \w+, \[\w+)(?:\+(\d+))?\])",
     [](const std::smatch& found, const std::string&) {
       const long offset = found[2].matched ? std::stol(found[2]) : 0;
       return around(found, fmt::format("{}+{}]", found[1].str(), offset + 8));
     }},
    {"scope", R"((acquire|release|acq_rel|relaxed)\.(cluster|gpu|sys))",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + ".cta");
     }},
    {"relaxed", R"((mbarrier\S*|ld|st)\.(acquire|release)\.)",
     [](const std::smatch& found, const std::string&) {
       return around(found, found[1].str() + ".relaxed.");
     }}};

const std::vector<std::regex>& patterns() {
  static const std::vector<std::regex> made = [] {
    std::vector<std::regex> all;
    for (const Operator& one : operators) all.emplace_back(one.pattern);
    return all;
  }();
  return made;
}

bool is_brace(const std::string& line, char brace) {
  const std::size_t at = line.find_first_not_of(' ');
  return at != std::string::npos && line[at] == brace && at + 1 == line.size();
}

// The lines of an arrival, from the brace before it to the one after it: what it needs is declared
// there. Only itself where it is in none.
std::pair<std::size_t, std::size_t> block_of(const Lines& lines, std::size_t arrival) {
  std::size_t first = arrival, last = arrival;
  while (first > 0 && !is_brace(lines[first], '{') && !is_brace(lines[first], '}')) --first;
  while (last + 1 < lines.size() && !is_brace(lines[last], '}')) ++last;
  return is_brace(lines[first], '{') ? std::pair(first, last) : std::pair(arrival, arrival);
}

// The line before which an arrival comes too early: a memory access of the same turn; nothing:
// there is none.
std::optional<std::size_t> access_before(const Lines& lines, std::size_t arrival) {
  static const std::regex access(
      R"(^\s*(@!?\w+ )?(st\.shared|ld\.shared|st\.async|cp\.async\.(bulk|c)).*;)");
  for (std::size_t n = arrival; n-- > 0 && lines[n].find("bra ") == std::string::npos;)
    if (may_err(lines[n]) && std::regex_search(lines[n], access)) return n;
  return std::nullopt;
}

class Maker {
 public:
  Maker(fs::path listing, Lines lines)
      : listing_(std::move(listing)), lines_(std::move(lines)), empty_(offset_of_empty(lines_)) {}

  std::vector<Mistake> make() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      const std::string& line = lines_[at_];
      if (!may_err(line)) continue;
      std::smatch found;
      for (std::size_t n = 0; n < std::size(operators); ++n)
        if (std::regex_search(line, found, patterns()[n]))
          add(operators[n].kind, operators[n].instead(found, line));
      swap_barriers();
      move_arrival();
    }
    return std::move(made_);
  }

 private:
  void add(const std::string& kind, const std::string& instead) {
    Lines lines = lines_;
    lines[at_] = instead;
    add(kind, lines);
  }

  void add(const std::string& kind, const Lines& lines) {
    const std::string& line = lines_[at_];
    made_.push_back({listing_, kind,
                     fmt::format("{}:{}: {}: {}", listing_.filename().string(), at_ + 1, kind,
                                 line.substr(line.find_first_not_of(' '))),
                     fmt::format("{}\n", fmt::join(lines, "\n"))});
  }

  // Full for empty, and the other way round.
  void swap_barriers() {
    static const std::regex barrier(
        R"((mbarrier\.\S*(?:wait|arrive)\S* \w+, \[\w*(?:barrier|address))(\+\d+)?\])");
    std::smatch found;
    if (empty_.empty() || !std::regex_search(lines_[at_], found, barrier)) return;
    add("barriers swapped", around(found, found[1].str() + (found[2].matched ? "" : empty_) + "]"));
  }

  void move_arrival() {
    static const std::regex arrival(
        R"(^\s*(@!?\w+ )?(mbarrier\.arrive|bar\.arrive|st\.(release|volatile)).*;)");
    if (!std::regex_search(lines_[at_], arrival)) return;
    const auto [first, last] = block_of(lines_, at_);
    const auto before = access_before(lines_, first);
    if (!before) return;
    Lines lines = lines_;
    const auto at = [&](std::size_t n) { return lines.begin() + static_cast<std::ptrdiff_t>(n); };
    std::rotate(at(*before), at(first), at(last + 1));
    add("arrival moved", lines);
  }

  fs::path listing_;
  Lines lines_;
  std::size_t at_ = 0;
  std::string empty_;
  std::vector<Mistake> made_;
};

}  // namespace

Result<std::vector<Mistake>> mistakes_of(const fs::path& listing) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(listing));
  return Maker(listing, lines_of(text)).make();
}

}  // namespace phasebit::test
