#include "core/base/documents.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::base {

namespace {

// CLI11 ends what it prints with a new line of its own.
[[noreturn]] void print_and_leave(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  throw CLI::CallForVersion(text, 0);
}

}  // namespace

void add_documents(CLI::App& app, const ManPageFacts& facts) {
  app.add_flag_callback("--man-page",
                        [&app, facts] { print_and_leave(man_page(describe(app), facts)); })
      ->group("");
  const auto complete = [&app](const std::string& shell) {
    const auto script = completion_script(describe(app), shell);
    if (!script) throw CLI::ValidationError("--completion", script.error().text());
    print_and_leave(*script);
  };
  app.add_option_function<std::string>("--completion", complete)->group("");
}

std::vector<std::pair<std::string, std::string>> step_exit_codes() {
  std::vector<std::pair<std::string, std::string>> codes;
  for (int n = 0; n <= static_cast<int>(Step::io); ++n) {
    const Step step = static_cast<Step>(n);
    codes.emplace_back(std::to_string(base::exit_code(step)), base::to_string(step));
  }
  return codes;
}

namespace {

// A line that begins with a dot or a quote is a request, and a hyphen is not a minus.
std::string escaped(std::string_view text) {
  std::string out;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_begin = c == '\n';
  }
  return out;
}

std::string option_text(const DescribedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back(fmt::format("\\fB{}\\fR", escaped(name)));
  std::string text = fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (option.takes_value() && !option.positional)
    text += fmt::format(" \\fI{}\\fR", escaped(option.value));
  text += "\n" + escaped(option.help.empty() ? "(no description)" : option.help);
  if (!option.default_value.empty())
    text += escaped(fmt::format(" (default: {})", option.default_value));
  return text + "\n";
}

std::string synopsis(const DescribedCommand& command) {
  std::string text = fmt::format("\\fB{}\\fR", escaped(command.name()));
  if (!command.options.empty()) text += " [\\fIoptions\\fR]";
  for (const DescribedOption& option : command.options) {
    if (!option.positional) continue;
    const std::string name = fmt::format("\\fI{}\\fR", escaped(option.names.front()));
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " \\fIcommand\\fR";
  return text;
}

std::string command_section(const DescribedCommand& command) {
  std::string text = fmt::format(".SS {}\n{}\n", escaped(command.name()), escaped(command.help));
  text += fmt::format(".PP\n{}\n", synopsis(command));
  for (const DescribedOption& option : command.options) text += option_text(option);
  if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer));
  return text;
}

std::string list_section(const std::string& title,
                         const std::vector<std::pair<std::string, std::string>>& rows) {
  if (rows.empty()) return {};
  std::string text = fmt::format(".SH {}\n", title);
  for (const auto& [name, what] : rows)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(what));
  return text;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string man_page(const DescribedCommand& program, const ManPageFacts& facts) {
  const std::string& name = program.path.front();
  std::string text = fmt::format(".TH {} 1 \"\" \"phasebit {}\" \"User Commands\"\n",
                                 escaped(capitals(name)), facts.version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(facts.about));
  text += fmt::format(".SH SYNOPSIS\n{}\n", synopsis(program));
  text += fmt::format(".SH DESCRIPTION\n{}\n", escaped(program.help));
  if (program.commands.empty()) {
    text += ".SH OPTIONS\n";
    for (const DescribedOption& option : program.options) text += option_text(option);
    if (!program.footer.empty())
      text += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(program.footer));
  } else {
    text += ".SH COMMANDS\n";
    for (const DescribedCommand* command : all_commands(program))
      if (command != &program) text += command_section(*command);
  }
  text += list_section("EXIT STATUS", facts.exit_codes);
  text += list_section("ENVIRONMENT", facts.environment);
  return text + list_section("FILES", facts.files);
}

namespace {

// "phasebit sass show" -> "phasebit_sass_show"
std::string word_of(const DescribedCommand& command) {
  std::string word = fmt::format("{}", fmt::join(command.path, "_"));
  std::replace_if(
      word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return word;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> option_names(const DescribedCommand& command) {
  std::vector<std::string> names;
  for (const DescribedOption& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const DescribedCommand& command) {
  std::vector<std::string> names;
  for (const DescribedCommand& one : command.commands) names.push_back(one.path.back());
  return names;
}

// Walks the words of the line down to the command that they name; then offers its words, or files.
std::string bash_script(const DescribedCommand& program) {
  const std::string name = program.path.front(), function = "_" + word_of(program);
  std::string steps, offers;
  for (const DescribedCommand* command : all_commands(program)) {
    for (const DescribedCommand& below : command->commands)
      steps += fmt::format("      {}:{}) at={} ;;\n", word_of(*command), below.path.back(),
                           word_of(below));
    offers += fmt::format("    {}) commands={}; options={} ;;\n", word_of(*command),
                          shell_quoted(fmt::format("{}", fmt::join(command_names(*command), " "))),
                          shell_quoted(fmt::format("{}", fmt::join(option_names(*command), " "))));
  }
  return fmt::format(
      "{}() {{\n  local word at={} commands options current=${{COMP_WORDS[COMP_CWORD]}}\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n    case $at:$word in\n{}    esac\n"
      "  done\n  case $at in\n{}  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
      "  elif [[ -n $commands ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n"
      "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n  fi\n}}\n"
      "complete -o filenames -F {} {}\n",
      function, word_of(program), steps, offers, function, name);
}

// "name:help" with the colons of the help escaped.
std::string zsh_row(const std::string& name, const std::string& help) {
  std::string row;
  for (const char c : name) row += c == ':' ? "\\:" : std::string(1, c);
  return shell_quoted(row + ":" + help);
}

std::string zsh_script(const DescribedCommand& program) {
  std::string steps, offers;
  for (const DescribedCommand* command : all_commands(program)) {
    for (const DescribedCommand& below : command->commands)
      steps += fmt::format("      {}:{}) at={} ;;\n", word_of(*command), below.path.back(),
                           word_of(below));
    std::string commands, options;
    for (const DescribedCommand& below : command->commands)
      commands += " " + zsh_row(below.path.back(), below.help);
    for (const DescribedOption& option : command->options)
      if (!option.positional)
        for (const std::string& name : option.names) options += " " + zsh_row(name, option.help);
    offers += fmt::format("    {}) commands=({}); options=({}) ;;\n", word_of(*command), commands,
                          options);
  }
  return fmt::format(
      "#compdef {}\n_{}() {{\n  local word at={}\n  local -a commands options\n"
      "  for word in ${{words[2,CURRENT-1]}}; do\n    case $at:$word in\n{}    esac\n  done\n"
      "  case $at in\n{}  esac\n"
      "  if [[ $words[CURRENT] == -* ]]; then\n    _describe option options\n"
      "  elif (( $#commands )); then\n    _describe command commands\n"
      "  else\n    _files\n  fi\n}}\ncompdef _{} {}\n",
      program.path.front(), word_of(program), word_of(program), steps, offers, word_of(program),
      program.path.front());
}

// Whether the words of the line are those of the command and none below it.
std::string fish_condition(const DescribedCommand& command) {
  std::string condition;
  for (size_t i = 1; i < command.path.size(); ++i)
    condition +=
        fmt::format("{}__fish_seen_subcommand_from {}", i == 1 ? "" : "; and ", command.path[i]);
  const std::vector<std::string> below = command_names(command);
  if (!below.empty())
    condition += fmt::format("{}not __fish_seen_subcommand_from {}",
                             condition.empty() ? "" : "; and ", fmt::join(below, " "));
  return condition;
}

std::string fish_script(const DescribedCommand& program) {
  std::string text;
  for (const DescribedCommand* command : all_commands(program)) {
    const std::string condition = fish_condition(*command);
    std::string begin = fmt::format("complete -c {}", program.path.front());
    if (!condition.empty()) begin += " -n " + shell_quoted(condition);
    for (const DescribedCommand& below : command->commands)
      text +=
          fmt::format("{} -f -a {} -d {}\n", begin, below.path.back(), shell_quoted(below.help));
    for (const DescribedOption& option : command->options) {
      if (option.positional) continue;
      text += begin;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      text +=
          fmt::format("{} -d {}\n", option.takes_value() ? " -r" : "", shell_quoted(option.help));
    }
  }
  return text;
}

}  // namespace

Result<std::string> completion_script(const DescribedCommand& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return with_hint(fail(Step::usage, "no completion for '{}'", shell),
                   base::nearest_word_hint(shell, {"bash", "zsh", "fish"}));
}

namespace {

DescribedOption describe_option(const CLI::Option& option) {
  DescribedOption made;
  made.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  if (made.positional) made.names = {option.get_name(true)};
  made.help = option.get_description();
  made.default_value = option.get_default_str();
  made.required = option.get_required();
  if (option.get_items_expected_max() > 0) made.value = option.get_type_name();
  return made;
}

DescribedCommand describe_below(const CLI::App& app, std::vector<std::string> path) {
  DescribedCommand made;
  path.push_back(app.get_name());
  made.path = path;
  made.help = app.get_description();
  made.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) made.options.push_back(describe_option(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) made.commands.push_back(describe_below(*command, path));
  return made;
}

void add_below(const DescribedCommand& command, std::vector<const DescribedCommand*>& all) {
  all.push_back(&command);
  for (const DescribedCommand& one : command.commands) add_below(one, all);
}

}  // namespace

std::string DescribedCommand::name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

DescribedCommand describe(const CLI::App& app) {
  return describe_below(app, {});
}

std::vector<const DescribedCommand*> all_commands(const DescribedCommand& program) {
  std::vector<const DescribedCommand*> all;
  add_below(program, all);
  return all;
}

}  // namespace phasebit::base
