#include "core/command/man_page.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::command {
namespace {

// A line that begins with a dot or a quote is a request, and a hyphen is no minus.
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

}  // namespace phasebit::command
