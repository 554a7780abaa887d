#include "analysis/report/html_page.h"

#include <fmt/format.h>

namespace phasebit::report {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; font-family: sans-serif; }
body { margin: 1.5em; }
table { border-collapse: collapse; font-family: monospace; }
th { position: sticky; top: 0; background: Canvas; text-align: left; }
th, td { padding: 0.15em 0.8em; border-bottom: 1px solid GrayText; }
)";

// Every word of the field must be in a row.
constexpr const char* script = R"(
const rows = [...document.querySelectorAll('table tr')].filter(row => row.querySelector('td'));
const shown = document.getElementById('shown');
function filter(text) {
  const words = text.toLowerCase().split(/\s+/);
  let count = 0;
  for (const row of rows) {
    const content = row.textContent.toLowerCase();
    row.hidden = !words.every(word => content.includes(word));
    if (!row.hidden) ++count;
  }
  shown.textContent = `${count} of ${rows.length} rows`;
}
filter('');
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html_page(const table::Table& table, const std::string& title,
                      const std::string& origin) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p>{1}</p>\n"
      "<p><input type=\"search\" placeholder=\"filter rows\" aria-label=\"filter rows\" "
      "oninput=\"filter(this.value)\"> <span id=\"shown\"></span></p>\n"
      "{3}<script>{4}</script>\n</body>\n</html>\n",
      escaped(title), escaped(origin), style, table::render(table, table::TableFormat::html),
      script);
}

}  // namespace phasebit::report
