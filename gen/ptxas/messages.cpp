#include "gen/ptxas/messages.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace phasebit::ptxas {

using base::trimmed;

namespace {

using Severity = PtxasMessage::Severity;

constexpr std::string_view blanks = " \t\r";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view between_quotes(std::string_view text) {
  const size_t open = text.find('\'');
  if (open == std::string_view::npos) return {};
  const size_t close = text.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view()
                                         : text.substr(open + 1, close - open - 1);
}

// "error   : text" -> its severity and text; nothing for another line.
std::optional<PtxasMessage> split_severity(std::string_view text) {
  struct Word {
    const char* word;
    Severity severity;
  };
  constexpr std::array<Word, 4> words{{{"info", Severity::info},
                                       {"warning", Severity::warning},
                                       {"error", Severity::error},
                                       {"fatal", Severity::fatal}}};
  for (const Word& word : words) {
    if (!starts_with(text, word.word)) continue;
    const std::string_view rest = trimmed(text.substr(std::string_view(word.word).size()));
    if (!starts_with(rest, ":")) continue;
    return PtxasMessage{word.severity, 0, std::string(trimmed(rest.substr(1)))};
  }
  return std::nullopt;
}

// "ptxas FILE, line N; error   : text" or "ptxas error   : text". FILE may hold anything.
std::optional<PtxasMessage> parse_message(std::string_view line) {
  constexpr std::string_view program = "ptxas ";
  constexpr std::string_view line_word = ", line ";
  if (!starts_with(line, program)) return std::nullopt;
  line.remove_prefix(program.size());
  if (auto message = split_severity(trimmed(line))) return message;
  const size_t at = line.find(line_word);
  const size_t semicolon = line.find(';', at == std::string_view::npos ? 0 : at);
  if (at == std::string_view::npos || semicolon == std::string_view::npos) return std::nullopt;
  auto message = split_severity(trimmed(line.substr(semicolon + 1)));
  if (message) message->line = leading_number(line.substr(at + line_word.size()));
  return message;
}

// "Used 22 registers, used 1 barriers, 60032 bytes smem" and "Used 22 registers, 16 bytes smem,
// 364 bytes cmem[0]": comma-separated figures with their unit after them.
void read_figures(std::string_view text, launch::Resources& resources) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view figure = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (starts_with(figure, "Used ") || starts_with(figure, "used ")) figure.remove_prefix(5);
    const int number = leading_number(figure);
    const size_t space = figure.find(' ');
    const std::string_view unit = space == std::string_view::npos ? "" : figure.substr(space + 1);
    if (unit == "registers")
      resources.registers = number;
    else if (unit == "barriers")
      resources.barriers = number;
    else if (unit == "bytes smem")
      resources.static_shared_bytes = number;
    else if (unit == "bytes stack frame")
      resources.stack_bytes = number;
    else if (unit == "bytes spill stores")
      resources.spill_store_bytes = number;
    else if (unit == "bytes spill loads")
      resources.spill_load_bytes = number;
  }
}

bool is_standing_phrase(std::string_view text) {
  return starts_with(text, "Function properties for ") || starts_with(text, "Compile time = ") ||
         text == "Ptx assembly aborted due to errors" ||
         starts_with(text, "Overriding maximum register limit ") ||
         text.find(" bytes gmem") != std::string_view::npos;
}

}  // namespace

PtxasReport parse_ptxas_output(std::string_view output) {
  PtxasReport report;
  std::string function, properties;  // the entry; of which function the next figures are
  while (!output.empty()) {
    const size_t end = output.find('\n');
    const std::string_view line = output.substr(0, end);
    output = end == std::string_view::npos ? std::string_view() : output.substr(end + 1);
    auto message = parse_message(line);
    if (!message) {  // the line of figures that follows "Function properties for"
      if (!function.empty() && properties == function &&
          line.find(" bytes stack frame") != std::string_view::npos)
        read_figures(line, report.entries[function]);
      continue;
    }
    constexpr std::string_view properties_for = "Function properties for ";
    if (starts_with(message->text, properties_for)) {
      properties = trimmed(std::string_view(message->text).substr(properties_for.size()));
    } else if (starts_with(message->text, "Compiling entry function ")) {
      properties = function = between_quotes(message->text);
      report.entries[function];
    } else if (!function.empty() && starts_with(message->text, "Used ")) {
      read_figures(message->text, report.entries[function]);
    } else if (!is_standing_phrase(message->text)) {
      report.messages.push_back(*std::move(message));
    }
  }
  return report;
}

}  // namespace phasebit::ptxas
