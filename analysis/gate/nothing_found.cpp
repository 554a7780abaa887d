#include "analysis/gate/nothing_found.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <set>

namespace phasebit::gate {
namespace {

struct Words {
  const char* key;
  const std::vector<std::string>& patterns;
  std::set<std::string> there;  // what the patterns are held against
};

// "; no target fits 'sm_9a': did you mean 'sm_90a'?"
std::string miss(const Words& words) {
  for (const std::string& pattern : words.patterns) {
    if (std::any_of(words.there.begin(), words.there.end(), [&](const std::string& word) {
          return word == pattern || rule::opcode_matches(pattern, word);
        }))
      continue;
    constexpr std::size_t most = 80;  // longer ones are no help in a message
    std::vector<std::string> all;
    std::copy_if(words.there.begin(), words.there.end(), std::back_inserter(all),
                 [](const std::string& word) { return word.size() <= most; });
    if (all.empty()) return fmt::format("; there are no {} here", words.key);
    return fmt::format("; none of the {} fits '{}': {}", words.key, pattern,
                       base::nearest_word_hint(pattern, all));
  }
  return "";
}

}  // namespace

tl::unexpected<Error> nothing_found(const Expectation& rule,
                                    const std::vector<GateSubject>& subjects,
                                    std::size_t matching) {
  Words variants{"variants", rule.variants, {}}, kernels{"kernels", rule.kernels, {}},
      targets{"targets", rule.targets, {}}, families{"families", rule.families, {}};
  for (const GateSubject& subject : subjects) {
    if (subject.file.empty()) variants.there.insert(subject.name);
    kernels.there.insert(subject.names.begin(), subject.names.end());
    if (!subject.names.empty()) kernels.there.insert(subject.shown);
    targets.there.insert(subject.target);
    families.there.insert(subject.family);
  }
  std::string hint = fmt::format("{} kernels were looked at; its patterns match {} of them",
                                 subjects.size(), matching);
  for (const Words* words : {&variants, &kernels, &targets, &families}) hint += miss(*words);
  return with_hint(fail(Step::gate, "{}: '{}' speaks of no code here", rule.place, rule.name),
                   std::move(hint));
}

}  // namespace phasebit::gate
