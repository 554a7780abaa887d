#include "gen/kernel/render.h"

#include "core/base/text.h"
#include "gen/kernel/context.h"
#include "gen/ptxas/module.h"
#include "gen/space/form_space.h"
#include "gen/space/hand_made.h"
#include "gen/space/template_set.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <kainjow/mustache.hpp>

namespace phasebit::kernel {

using launch::Build;
using launch::VariantKey;
using space::JoinedTemplate;
using space::Language;

namespace {

using kainjow::mustache::data;
using nlohmann::json;

data to_mustache(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? data::type::bool_true : data::type::bool_false;
  if (value.is_string()) return value.get_ref<const std::string&>();
  if (value.is_array()) {
    data list{data::type::list};
    for (const json& element : value) list.push_back(to_mustache(element));
    return list;
  }
  data object{data::type::object};
  for (const auto& [key, element] : value.items()) object[key] = to_mustache(element);
  return object;
}

void collect_names(const json& value, std::set<std::string>& names) {
  if (value.is_object()) {
    for (const auto& [key, element] : value.items()) {
      names.insert(key);
      if (key != "is") collect_names(element, names);
    }
  } else if (value.is_array()) {
    for (const json& element : value) collect_names(element, names);
  }
}

// Mustache renders an unknown name as nothing; here it is an error. `is.AXIS.VALUE` and `pb.FIELD`
// are known by their first two parts.
Status check_name(const JoinedTemplate::Use& use, const json& context,
                  const std::set<std::string>& names) {
  const size_t dot = use.name.find('.');
  const std::string first = use.name.substr(0, dot);
  const bool of_object = dot != std::string::npos && context.contains(first);
  if (!of_object && names.contains(use.name)) return {};
  if (!of_object)
    return with_hint(fail(Step::render, "{}: unknown name '{}'", use.place, use.name),
                     base::nearest_word_hint(use.name, {names.begin(), names.end()}));
  const std::string key = use.name.substr(dot + 1, use.name.find('.', dot + 1) - dot - 1);
  if (context[first].contains(key)) return {};
  std::vector<std::string> valid;
  for (const auto& [name, value] : context[first].items()) valid.push_back(name);
  return with_hint(fail(Step::render, "{}: unknown {} '{}'", use.place,
                        first == "is" ? "axis" : "field of " + first, key),
                   base::nearest_word_hint(key, valid));
}

Status check_names(const JoinedTemplate& joined, const json& context) {
  static const std::set<std::string> optional = {
      "rest_of_ring", "token_number",     "to",        "from",
      "index",        "offset",           "words",     "summed",
      "address",      "turns_reciprocal", "statement", "stages_reciprocal"};
  std::set<std::string> names = optional;
  collect_names(context, names);
  for (const space::Word& word : joined.words)
    if (names.contains(word.name))
      return fail(Step::render, "{}: word '{}' is already a name of the plan", word.where,
                  word.name);
  for (const space::Word& word : joined.words) names.insert(word.name);
  for (const JoinedTemplate::Use& use : joined.uses) PHASEBIT_TRY(check_name(use, context, names));
  return {};
}

// A rendered line with its last mark taken off; nothing for a line that no template line stands
// for.
std::optional<ListingLine> take_mark(std::string_view line, const JoinedTemplate& joined) {
  const size_t begin = line.rfind(space::mark_begin);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t middle = line.find(space::mark_middle, begin);
  const size_t end = line.find(space::mark_end, begin);
  if (middle == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  size_t index = 0;
  std::from_chars(line.data() + begin + 1, line.data() + middle, index);
  ListingLine out{std::string(line.substr(end + 1)), joined.marks[index]};
  out.source.role = line.substr(middle + 1, end - middle - 1);
  return out;
}

struct Compiled {
  JoinedTemplate joined;
  kainjow::mustache::mustache mustache;
  bool checked = false;
};

// "Unclosed section "x" at 123" -> the file and line of offset 123.
tl::unexpected<Error> syntax_error(const Compiled& compiled) {
  const std::string& message = compiled.mustache.error_message();
  const size_t digits = message.find_last_not_of("0123456789");
  size_t offset = 0;
  std::from_chars(message.data() + digits + 1, message.data() + message.size(), offset);
  const std::string& text = compiled.joined.text;
  const auto stop = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = static_cast<size_t>(std::count(text.begin(), stop, '\n'));
  const launch::SourceLine& at =
      compiled.joined.lines[std::min(line, compiled.joined.lines.size() - 1)];
  return fail(Step::render, "{}: {}", at.place(), message.substr(0, message.rfind(" at ")));
}

// Where a name has a value: inside these sections.
void find_sections(const json& value, const std::string& name, const std::string& section,
                   std::set<std::string>& sections) {
  if (value.is_array())
    for (const json& element : value) find_sections(element, name, section, sections);
  if (!value.is_object()) return;
  const auto own = value.find(name);
  if (own != value.end() && own->is_string()) sections.insert(section);
  for (const auto& [key, inner] : value.items())
    if (key != "is" && key != "pb") find_sections(inner, name, key, sections);
}

// Looks names up as Mustache does, and notes those whose value is wanted where they have no value:
// it would render them as nothing.
class ScopedNames : public kainjow::mustache::context<std::string> {
 public:
  ScopedNames(const data* names, const JoinedTemplate& joined) : context(names), joined_(joined) {}

  const data* get(const std::string& name) const override {
    const size_t mark = name.find(space::use_mark);
    if (mark == std::string::npos) return context::get(name);
    const data* value = context::get(name.substr(0, mark));
    if (value != nullptr && value->is_string()) return value;
    size_t index = 0;
    std::from_chars(name.data() + mark + 1, name.data() + name.size(), index);
    if (lost_ == nullptr) lost_ = &joined_.uses[index];
    return value;
  }

  Status check(const json& names) const {
    if (lost_ == nullptr) return {};
    std::set<std::string> sections;
    find_sections(names, lost_->name, "", sections);
    sections.erase("");
    const std::string hint =
        sections.empty() ? fmt::format("it is a section: {{{{#{}}}}}", lost_->name)
                         : fmt::format("inside {{{{#{}}}}}", fmt::join(sections, "}} or {{#"));
    return with_hint(fail(Step::render, "{}: '{}' has no value here", lost_->place, lost_->name),
                     hint);
  }

 private:
  const JoinedTemplate& joined_;
  mutable const JoinedTemplate::Use* lost_ = nullptr;
};

void split_lines(const std::string& text, const JoinedTemplate& joined, Language language,
                 Rendered& out) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    auto line = take_mark(std::string_view(text).substr(begin, end - begin), joined);
    begin = end + 1;
    if (!line) continue;
    const std::string statement = without_comment(line->text, language);
    if (!statement.empty()) {
      out.kernel.statements.push_back(statement);
      out.kernel.source.push_back(line->source);
    }
    if (!line->text.empty()) out.listing.push_back(std::move(*line));
  }
}

}  // namespace

struct Renderer::Impl {
  const space::Catalogue* catalogue = nullptr;
  fs::path templates;
  std::map<std::string, Compiled> compiled;

  Result<Compiled*> find(const space::Combination& combination, Language language) {
    const std::string key = combination.probe + "/" + combination.protocol + "/" +
                            combination.mover + "/" + combination.work + space::suffix_of(language);
    if (const auto known = compiled.find(key); known != compiled.end()) return &known->second;
    PHASEBIT_TRY_ASSIGN(joined,
                        space::join_templates(*catalogue, templates, combination, language));
    kainjow::mustache::mustache parsed(joined.text);
    parsed.set_custom_escape([](const std::string& text) { return text; });
    Compiled made{std::move(joined), std::move(parsed), false};
    if (!made.mustache.is_valid()) return syntax_error(made);
    return &compiled.emplace(key, std::move(made)).first->second;
  }

  Status fill_in(const VariantKey& variant, const Plan& plan, Language language, Build build,
                 Rendered& out);
};

// What is in the templates of the variant, into `out`.
Status Renderer::Impl::fill_in(const VariantKey& variant, const Plan& plan, Language language,
                               Build build, Rendered& out) {
  const VariantKey key = space::template_key(*catalogue, variant);
  const space::Combination combination{key.value("probe"), key.value("protocol"),
                                       key.value("mover"), key.value("work")};
  PHASEBIT_TRY_ASSIGN(made, find(combination, language));
  for (const launch::SourceLine& file : made->joined.not_asked_for)
    return fail(Step::render, "{}: nothing of {}/{}/{}/{} asks for '{}'", file.file,
                variant.value("probe"), variant.value("protocol"), variant.value("mover"),
                variant.value("work"), file.verb);
  out.kernel.entry = entry_name(variant, build);
  out.kernel.build = build;
  PHASEBIT_TRY_ASSIGN(context, make_context(*catalogue, key, plan, out.kernel.entry));
  if (space::is_form(variant)) {
    PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
    PHASEBIT_TRY(forms::add_form_names(context, *book, forms::form_point(variant)));
  }
  if (!made->checked) PHASEBIT_TRY(check_names(made->joined, context));
  made->checked = true;
  const data names = to_mustache(context);
  ScopedNames scoped(&names, made->joined);
  const std::string text = made->mustache.render(scoped);
  PHASEBIT_TRY(scoped.check(context));
  split_lines(text, made->joined, language, out);
  return {};
}

Renderer::Renderer(const space::Catalogue& catalogue, fs::path templates)
    : impl_(std::make_unique<Impl>()) {
  impl_->catalogue = &catalogue;
  impl_->templates = std::move(templates);
}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

Result<Rendered> Renderer::render(const VariantKey& variant, const Plan& plan, Build build,
                                  const std::string& ptx_version, const std::string& ptx_target) {
  Rendered out;
  PHASEBIT_TRY(impl_->fill_in(variant, plan, Language::ptx, build, out));
  out.kernel.ptx_version = ptx_version;
  out.kernel.ptx_target = ptx_target;
  out.kernel.hash = kernel_hash(out.kernel);
  return out;
}

Result<Rendered> Renderer::render_ir(const VariantKey& variant, const Plan& plan) {
  Rendered out;
  PHASEBIT_TRY(impl_->fill_in(variant, plan, Language::ir, Build::timed, out));
  return out;
}

std::string without_comment(std::string line, Language language) {
  const std::string_view mark = language == Language::ptx ? "//" : ";";
  // A `;` in a string of IR begins none.
  bool quoted = false;
  for (size_t at = 0; at < line.size(); ++at) {
    if (language == Language::ir && line[at] == '"') quoted = !quoted;
    if (quoted || !std::string_view(line).substr(at).starts_with(mark)) continue;
    line.erase(at);
    break;
  }
  const size_t last = line.find_last_not_of(" \t");
  line.erase(last == std::string::npos ? 0 : last + 1);
  return line;
}

std::string entry_name(const VariantKey& variant, Build build) {
  return fmt::format("pb_{}_{}", variant.hash, build == Build::timed ? "t" : "g");
}

std::string kernel_hash(const ptxas::Kernel& kernel) {
  return ptxas::nameless_hash(kernel);
}

}  // namespace phasebit::kernel
