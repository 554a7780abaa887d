#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/padded/padded.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// Of a whole listing: the instructions of each kernel, with the marks of their lines, and the words
// of its attributes.
using Listing = std::map<std::string, std::vector<std::string>>;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  const std::size_t end = text.find_last_not_of(" \t;");
  return begin == std::string::npos || end == std::string::npos
             ? ""
             : text.substr(begin, end - begin + 1);
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

// Names of places in the code as "KERNEL#INSTRUCTION", counted from the first that is not padding.
class Reader {
 public:
  Reader(const std::string& text, std::size_t padding) : skipped_(padding / 16) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) read(line);
    for (auto& [section, lines] : listing_)
      for (std::string& line : lines) line = with_places(line);
  }
  Listing take() { return std::move(listing_); }

 private:
  void read(const std::string& line) {
    constexpr std::string_view section = "\t.section\t";
    if (line.starts_with(section)) {
      section_ = line.substr(section.size(), line.find(',') - section.size());
      next_ = 0;
      return;
    }
    const std::string text = trimmed(line);
    const bool code = section_.starts_with(".text.");
    if (code && line.starts_with("\t//##"))
      add(text);
    else if (text.starts_with("/*") && (code || section_.starts_with(".nv.info.")))
      add(trimmed(text.substr(text.find("*/") + 2)));
    else if (code && text.ends_with(':') && is_in_name(text.front()))
      places_[text.substr(0, text.size() - 1)] =
          fmt::format("{}#{}", section_, static_cast<int>(next_) - static_cast<int>(skipped_));
  }
  void add(const std::string& text) {
    if (section_.starts_with(".text.")) {
      const bool mark = text.starts_with("//##");
      const bool encoding = text.starts_with("/*") || text.starts_with("0x");
      if (encoding) return;
      if (!mark && next_++ < skipped_) {
        EXPECT_EQ(text, "NOP") << section_;
        return;
      }
      // What the kernel itself is called stands for its first instruction.
      places_[section_.substr(6)] = section_ + "#0";
    }
    listing_[section_].push_back(text);
  }
  std::string with_places(const std::string& line) const {
    std::string made;
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && is_in_name(line[end])) ++end;
      const std::string word = line.substr(at, end - at);
      const auto place = places_.find(word);
      made += place == places_.end() ? word : place->second;
      if (end < line.size()) made += line[end];
      at = end + 1;
    }
    return made;
  }

  std::size_t skipped_, next_ = 0;
  std::string section_;
  Listing listing_;
  std::map<std::string, std::string> places_;
};

Listing listing_of(const std::string& nvdisasm, const std::string& cubin, std::size_t padding,
                   const std::string& options) {
  auto folder = base::TempDir::create();
  if (!folder) return {};
  const std::string file = (folder->path() / "k.cubin").string();
  EXPECT_TRUE(base::write_file(file, cubin));
  std::vector<std::string> words = {nvdisasm};
  if (!options.empty()) words.push_back(options);
  words.push_back(file);
  const auto ran = base::run_process(words);
  EXPECT_TRUE(ran && ran->ok()) << (ran ? ran->err : ran.error().text());
  return ran ? Reader(ran->out, padding).take() : Listing();
}

// ".byte 0xb0, 0x02, ..." as numbers of four bytes.
std::vector<std::size_t> numbers_of(const std::string& line) {
  std::vector<std::size_t> numbers;
  std::size_t count = 0;
  for (std::size_t at = line.find("0x"); at != std::string::npos; at = line.find("0x", at + 2)) {
    if (count % 4 == 0) numbers.push_back(0);
    numbers.back() |= std::stoul(line.substr(at, 4), nullptr, 16) << 8 * (count++ % 4);
  }
  return numbers;
}

// A word of an attribute is the same, or a place that is printed as a number.
bool is_same_word(const std::string& old, const std::string& made, std::size_t padding) {
  if (old.starts_with(".byte") && made.starts_with(".byte")) {
    const auto before = numbers_of(old), after = numbers_of(made);
    return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                      [&](auto a, auto b) { return a == b || a + padding == b; });
  }
  constexpr std::string_view word = ".word\t0x";
  if (old == made) return true;
  if (!old.starts_with(word) || !made.starts_with(word)) return false;
  const auto number = [&](const std::string& text) {
    return std::stoul(text.substr(word.size()), nullptr, 16);
  };
  return number(made) == number(old) + padding;
}

}  // namespace

void expect_same_listing(const std::string& nvdisasm, const std::string& before,
                         const std::string& after, std::size_t padding,
                         const std::string& options) {
  const Listing old = listing_of(nvdisasm, before, 0, options);
  const Listing made = listing_of(nvdisasm, after, padding, options);
  ASSERT_FALSE(old.empty());
  ASSERT_EQ(made.size(), old.size());
  const std::size_t tail = ((padding + 127) / 128 * 128 - padding) / 16;
  for (const auto& [section, lines] : old) {
    SCOPED_TRACE(section);
    const bool code = section.starts_with(".text.");
    const auto& others = made.at(section);
    ASSERT_EQ(others.size(), lines.size() + (code ? tail : 0));
    for (std::size_t i = 0; i < lines.size(); ++i)
      ASSERT_TRUE(code ? lines[i] == others[i] : is_same_word(lines[i], others[i], padding))
          << lines[i] << "\n"
          << others[i];
    for (std::size_t i = lines.size(); i < others.size(); ++i) EXPECT_EQ(others[i], "NOP");
  }
}

}  // namespace phasebit::test
