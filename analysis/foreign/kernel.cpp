#include "analysis/foreign/kernel.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace phasebit {
namespace {

struct Names {
  std::string symbol, text, name;  // as it stands; demangled; that without types around it
};

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

Names names_of(const std::string& symbol) {
  std::string text = demangled(symbol);
  std::string name = bare_name(text);
  return {symbol, std::move(text), std::move(name)};
}

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

bool answers(const Cubin& cubin, const std::string& target) {
  return target.empty() || cubin.target == target || target == fmt::format("sm_{}", cubin.sm);
}

// What to call each: demangled, where no other is called so (as kernels of unnamed namespaces are).
std::set<std::string> names_to_show(const std::vector<CodeKernel>& kernels) {
  std::map<std::string, std::set<std::string>> symbols;  // by what they are called
  for (const CodeKernel& one : kernels) {
    const std::string text = demangled(one.kernel->entry);
    symbols[text.empty() ? one.kernel->entry : text].insert(one.kernel->entry);
  }
  std::set<std::string> names;
  for (const auto& [text, those] : symbols)
    if (those.size() == 1)
      names.insert(text);
    else
      names.insert(those.begin(), those.end());
  return names;
}

template <typename Items>
std::string first_of(const Items& items) {
  constexpr std::size_t most = 12;
  std::string text;
  std::size_t count = 0;
  for (const std::string& item : items) {
    if (count == most) return text + ", ...";
    text += (count++ == 0 ? "" : ", ") + item;
  }
  return text;
}

// Every kernel of the images of a target; device functions too, where a name asks for one.
std::vector<CodeKernel> kernels_of(const CodeFile& file, const KernelQuery& query) {
  std::vector<CodeKernel> kernels;
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> seen;
  for (const CodeImage& image : file.images)
    for (const CubinKernel& kernel : image.cubin.kernels)
      if (answers(image.cubin, query.target) && (kernel.is_entry || !query.kernel.empty()) &&
          seen.emplace(kernel.entry, image.cubin.target, kernel.text, kernel.code.hash).second)
        kernels.push_back({&image, &kernel});
  return kernels;
}

tl::unexpected<Error> no_target(const CodeFile& file, const std::string& target) {
  std::set<std::string> targets;
  for (const CodeImage& image : file.images) targets.insert(image.cubin.target);
  return with_hint(fail(Step::usage, "{}: no code for {}", file.path, target),
                   "it has code for " + first_of(targets));
}

tl::unexpected<Error> no_kernel(const CodeFile& file, const std::string& word,
                                const std::vector<CodeKernel>& kernels) {
  std::set<std::string> bare;
  for (const CodeKernel& one : kernels) {
    const Names all = names_of(one.kernel->entry);
    for (const std::string& name : {all.symbol, all.name})
      if (!name.empty()) bare.insert(name);
  }
  std::string hint = nearest_word_hint(word, {bare.begin(), bare.end()});
  if (!hint.starts_with("did you mean")) hint = "it has " + first_of(names_to_show(kernels));
  return with_hint(fail(Step::usage, "{}: no kernel '{}'", file.path, word), std::move(hint));
}

}  // namespace

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

Result<std::vector<CodeKernel>> find_kernels(const CodeFile& file, const KernelQuery& query) {
  std::vector<CodeKernel> kernels = kernels_of(file, query);
  if (std::none_of(file.images.begin(), file.images.end(),
                   [&](const CodeImage& image) { return answers(image.cubin, query.target); }))
    return no_target(file, query.target);
  if (query.kernel.empty()) {
    if (kernels.empty())  // no entry is marked: whatever has code
      for (const CodeImage& image : file.images)
        if (answers(image.cubin, query.target))
          for (const CubinKernel& kernel : image.cubin.kernels)
            kernels.push_back({&image, &kernel});
    return kernels;
  }
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
  const std::set<std::string> names = names_to_show(found);
  std::set<std::string> targets;
  for (const CodeKernel& one : found) targets.insert(one.image->cubin.target);
  if (names.size() > 1)
    return with_hint(
        query.kernel.empty()
            ? fail(Step::usage, "{}: has {} kernels", file.path, names.size())
            : fail(Step::usage, "{}: {} kernels match '{}'", file.path, names.size(), query.kernel),
        "give --kernel, one of: " + first_of(names));
  if (targets.size() > 1)
    return with_hint(fail(Step::usage, "{}: {} is there for {} architectures", file.path,
                          *names.begin(), targets.size()),
                     "give --target, one of: " + first_of(targets));
  if (found.size() > 1)
    return with_hint(fail(Step::usage, "{}: {} for {} is there {} times with different code",
                          file.path, *names.begin(), *targets.begin(), found.size()),
                     fmt::format("cuobjdump -xelf takes the images apart: {}, {}",
                                 found[0].image->name, found[1].image->name));
  return found.front();
}

}  // namespace phasebit
