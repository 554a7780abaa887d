#include "core/command/completion.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <cctype>

#include <fmt/ranges.h>

namespace phasebit::command {
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

}  // namespace phasebit::command
