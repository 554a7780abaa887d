#include "analysis/foreign/kernel.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace phasebit::foreign {

namespace {

// Ways to match, the closest first.
using Match = std::function<bool(const Names& names, const std::string& word)>;
const std::vector<Match>& matches() {
  static const std::vector<Match> all = {
      [](const Names& names, const std::string& word) { return names.symbol == word; },
      [](const Names& names, const std::string& word) { return names.text == word; },
      [](const Names& names, const std::string& word) { return names.name == word; },
      [](const Names& names, const std::string& word) {
        return names.symbol.find(word) != std::string::npos ||
               names.text.find(word) != std::string::npos;
      }};
  return all;
}

bool answers(const cubin::Cubin& cubin, const std::string& target) {
  return target.empty() || cubin.target == target || target == fmt::format("sm_{}", cubin.sm);
}

// What to call each: demangled, where no other is called so (as kernels of unnamed namespaces are).
std::vector<std::string> names_to_show(const std::vector<CodeKernel>& kernels) {
  std::map<std::string, std::set<std::string>> symbols;  // by what they are called
  std::vector<std::string> texts;
  for (const CodeKernel& one : kernels) {
    const std::string text = cubin::source::demangled(one.kernel->entry);
    texts.push_back(text.empty() ? one.kernel->entry : text);
    symbols[texts.back()].insert(one.kernel->entry);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (symbols[texts[i]].size() > 1) texts[i] = kernels[i].kernel->entry;
  return texts;
}

constexpr std::size_t most_listed = 12;

template <typename Items>
std::string first_of(const Items& items) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& item : items) {
    if (count == most_listed) return fmt::format("{}, and {} more", text, items.size() - count);
    text += (count++ == 0 ? "" : ", ") + item;
  }
  return text;
}

using NamedPlace = std::tuple<std::string_view, std::string_view, std::string_view>;

NamedPlace place_of(const CodeKernel& one) {
  return {one.kernel->entry, one.image->cubin.target, one.kernel->text};
}

// Of code that is there once no class is needed; of equal text the class decides, since constants
// may differ. By kernel.
std::map<const cubin::CubinKernel*, std::string> classes_of(
    const std::vector<CodeKernel>& kernels) {
  std::map<NamedPlace, std::size_t> counts;
  for (const CodeKernel& one : kernels) ++counts[place_of(one)];
  std::map<const CodeImage*, std::set<std::string>> wanted;
  for (const CodeKernel& one : kernels)
    if (counts.at(place_of(one)) > 1 && one.kernel->code.hash.empty())
      wanted[one.image].insert(one.kernel->entry);
  std::map<const CodeImage*, std::map<std::string, cubin::CodeClass>> read;
  for (const auto& [image, entries] : wanted)
    read[image] = cubin::classes_of_code(image->bytes, entries);
  std::map<const cubin::CubinKernel*, std::string> classes;
  for (const CodeKernel& one : kernels)
    classes[one.kernel] = counts.at(place_of(one)) > 1 && one.kernel->code.hash.empty()
                              ? read[one.image][one.kernel->entry].hash
                              : one.kernel->code.hash;
  return classes;
}

// Every kernel of the images of a target; device functions too, where a name asks for one.
std::vector<CodeKernel> kernels_of(const CodeFile& file, const KernelQuery& query) {
  std::vector<CodeKernel> kernels;
  for (const CodeImage& image : file.images)
    for (const cubin::CubinKernel& kernel : image.cubin.kernels)
      if (answers(image.cubin, query.target) && (kernel.is_entry || !query.kernel.empty()))
        kernels.push_back({&image, &kernel});
  const auto classes = classes_of(kernels);
  std::set<std::pair<NamedPlace, std::string>> seen;
  std::erase_if(kernels, [&](const CodeKernel& one) {
    return !seen.emplace(place_of(one), classes.at(one.kernel)).second;
  });
  return kernels;
}

// What is linked goes before what it was linked of.
void prefer_linked(std::vector<CodeKernel>& kernels) {
  std::set<std::pair<std::string_view, std::string_view>> linked;
  for (const CodeKernel& one : kernels)
    if (!one.image->relocatable) linked.emplace(one.kernel->entry, one.image->cubin.target);
  std::erase_if(kernels, [&](const CodeKernel& one) {
    return one.image->relocatable && linked.count({one.kernel->entry, one.image->cubin.target}) > 0;
  });
}

tl::unexpected<Error> no_target(const CodeFile& file, const std::string& target) {
  std::set<std::string> targets(file.unopened.begin(), file.unopened.end());
  for (const CodeImage& image : file.images) targets.insert(image.cubin.target);
  return with_hint(fail(Step::usage, "{}: no code for {}", file.path, target),
                   "it has code for " + first_of(targets));
}

// Each once, short.
std::vector<std::string> distinct(const std::vector<CodeKernel>& kernels) {
  std::vector<std::string> names = names_to_show(kernels);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return short_names(names);
}

tl::unexpected<Error> no_kernel(const CodeFile& file, const std::string& word,
                                const std::vector<CodeKernel>& kernels) {
  std::set<std::string> bare;
  for (const CodeKernel& one : kernels) {
    const Names all = names_of(one.kernel->entry);
    for (const std::string& name : {all.symbol, all.name})
      if (!name.empty()) bare.insert(name);
  }
  std::string hint = base::nearest_word_hint(word, {bare.begin(), bare.end()});
  if (!hint.starts_with("did you mean")) hint = "it has " + first_of(distinct(kernels));
  return with_hint(fail(Step::usage, "{}: no kernel '{}'", file.path, word), std::move(hint));
}

// A kernel's name begins with no digit.
bool is_number(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

Result<std::vector<CodeKernel>> by_number(const CodeFile& file, const KernelQuery& query) {
  const std::vector<CodeKernel> all = list_kernels(file, query.target);
  std::size_t number = 0;
  const char* end = query.kernel.data() + query.kernel.size();
  const auto read = std::from_chars(query.kernel.data(), end, number);
  if (read.ec != std::errc() || number == 0 || number > all.size())
    return fail(Step::usage, "{}: no kernel {}: they are numbered from 1 to {}{}", file.path,
                query.kernel, all.size(), query.target.empty() ? "" : " for " + query.target);
  return std::vector<CodeKernel>{all[number - 1]};
}

// "give --kernel NAME or NUMBER: 3 ns::copy(float*), 4 ns::fill(float*), and 20 more (...)". Those
// that differ in their image alone are named by it.
std::string numbered(const CodeFile& file, const KernelQuery& query,
                     const std::vector<CodeKernel>& found) {
  const std::vector<CodeKernel> all = list_kernels(file, query.target);
  std::map<const cubin::CubinKernel*, std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) numbers[all[i].kernel] = i + 1;
  std::vector<std::string> names = names_to_show(found);
  const bool one_name = std::set<std::string>(names.begin(), names.end()).size() == 1;
  if (one_name)
    for (std::size_t i = 0; i < found.size(); ++i) names[i] = found[i].image->name;
  const std::vector<std::string> shown = short_names(names);
  std::vector<std::string> items;
  std::set<std::string> said;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!said.insert(names[i]).second) continue;  // on another target
    const auto number = numbers.find(found[i].kernel);
    items.push_back(number == numbers.end() ? shown[i]
                                            : fmt::format("{} {}", number->second, shown[i]));
  }
  std::string text = "give --kernel, a number or a name: " + first_of(items);
  if (items.size() > most_listed)
    text += fmt::format("; phasebit sass list {} shows all", file.path);
  return text;
}

}  // namespace

std::string title_of(const CodeKernel& kernel, bool full_name) {
  constexpr std::size_t width = 72, most = 200;  // a name without brackets is cut
  std::string name = full_kernel_name(kernel.kernel->entry);
  if (!full_name) name = cubin::source::shortened(name, width);
  if (!full_name && name.size() > most) name = name.substr(0, width) + "...";
  return kernel.image->name + ": " + name;
}

std::vector<CodeKernel> list_kernels(const CodeFile& file, const std::string& target) {
  std::vector<CodeKernel> kernels = kernels_of(file, {"", target});
  if (kernels.empty())  // no entry is marked: whatever has code
    for (const CodeImage& image : file.images)
      if (answers(image.cubin, target))
        for (const cubin::CubinKernel& kernel : image.cubin.kernels)
          kernels.push_back({&image, &kernel});
  prefer_linked(kernels);
  return kernels;
}

std::vector<std::string> list_names(const std::vector<CodeKernel>& kernels) {
  return names_to_show(kernels);
}

Result<std::vector<CodeKernel>> find_kernels(const CodeFile& file, const KernelQuery& query) {
  if (std::none_of(file.images.begin(), file.images.end(),
                   [&](const CodeImage& image) { return answers(image.cubin, query.target); }))
    return no_target(file, query.target);
  if (query.kernel.empty()) return list_kernels(file, query.target);
  if (is_number(query.kernel)) return by_number(file, query);
  std::vector<CodeKernel> kernels = kernels_of(file, query);
  prefer_linked(kernels);
  for (const Match& match : matches()) {
    std::vector<CodeKernel> found;
    for (const CodeKernel& one : kernels)
      if (match(names_of(one.kernel->entry), query.kernel)) found.push_back(one);
    if (!found.empty()) return found;
  }
  return no_kernel(file, query.kernel, kernels);
}

Result<CodeKernel> find_kernel(const CodeFile& file, const KernelQuery& query) {
  PHASEBIT_TRY_ASSIGN(found, find_kernels(file, query));
  const std::vector<std::string> names = distinct(found);
  std::set<std::string> targets;
  for (const CodeKernel& one : found) targets.insert(one.image->cubin.target);
  if (names.size() > 1)
    return with_hint(
        query.kernel.empty()
            ? fail(Step::usage, "{}: has {} kernels", file.path, names.size())
            : fail(Step::usage, "{}: {} kernels match '{}'", file.path, names.size(), query.kernel),
        numbered(file, query, found));
  if (targets.size() > 1)
    return with_hint(fail(Step::usage, "{}: {} is there for {} architectures", file.path,
                          names.front(), targets.size()),
                     "give --target, one of: " + first_of(targets));
  if (found.size() > 1)
    return with_hint(fail(Step::usage, "{}: {} for {} is there {} times with different code",
                          file.path, names.front(), *targets.begin(), found.size()),
                     numbered(file, query, found));
  return found.front();
}

namespace {

// "ns::copy<float, 3>" of "void ns::copy<float, 3>(float*, float)".
std::string bare_name(const std::string& text) {
  int depth = 0;
  std::size_t begin = 0, end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == ' ') begin = i + 1;
    if (c == '(' && !text.substr(i).starts_with("(anonymous namespace)")) {
      end = i;
      break;
    }
    if (c == '(') i += std::string_view("(anonymous namespace").size();
  }
  return text.substr(begin, end - begin);
}

// "ns::copy" of "ns::copy<float, 3>".
std::string without_arguments(const std::string& name) {
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>') --depth;
  }
  return plain;
}

}  // namespace

Names names_of(const std::string& symbol) {
  std::string text = cubin::source::demangled(symbol);
  std::string name = bare_name(text);
  return {symbol, std::move(text), std::move(name)};
}

std::vector<std::string> kernel_names(const std::string& symbol) {
  const Names names = names_of(symbol);
  std::vector<std::string> all = {symbol};
  for (const std::string& name : {names.text, names.name, without_arguments(names.name)})
    if (!name.empty() && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

std::string short_kernel_name(const std::string& symbol) {
  constexpr std::size_t most = 72;
  const Names names = names_of(symbol);
  if (names.name.empty())  // not C++, or a name that cannot be read
    return symbol.size() <= most ? symbol : symbol.substr(0, most) + "...";
  if (names.name.size() <= most) return names.name;
  const std::string plain = without_arguments(names.name);
  return plain.size() < names.name.size() ? plain + "<...>" : plain;
}

std::string full_kernel_name(const std::string& symbol) {
  const std::string text = cubin::source::demangled(symbol);
  return text.empty() ? symbol : text;
}

namespace {

std::size_t common_prefix(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

// `apart` is the first place where no other name is like this one.
std::string cut(const std::string& name, std::size_t apart, std::size_t width) {
  constexpr std::string_view gap = "...";
  const std::size_t head = width / 3, before = width / 6;
  if (apart + gap.size() < width - head)
    return name.substr(0, width - gap.size()) + std::string(gap);
  // The place that tells it apart, with a little before it; or the end, where that holds it.
  const std::string begin = name.substr(0, head) + std::string(gap);
  const std::size_t to_end = width - begin.size(), room = to_end - gap.size();
  if (apart - before + room >= name.size()) return begin + name.substr(name.size() - to_end);
  return begin + name.substr(apart - before, room) + std::string(gap);
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  std::vector<std::string> all = names;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = names[order[i]];
    if (name.size() <= width) continue;
    // Neighbours of the sorted list share most with it.
    std::size_t apart = 0;
    if (i > 0) apart = common_prefix(name, names[order[i - 1]]);
    if (i + 1 < order.size()) apart = std::max(apart, common_prefix(name, names[order[i + 1]]));
    all[order[i]] = cut(name, std::min(apart, name.size() - 1), width);
  }
  return all;
}

}  // namespace phasebit::foreign
