#include "gen/guard/insertions.h"

#include <utility>

namespace phasebit::guard {

using ptx::PlacedStatement;
using ptx::PtxFile;

namespace {

PlacedStatement made(const std::string& text, std::string before, int heading) {
  PlacedStatement statement;
  statement.before = std::move(before);
  statement.text = text;
  statement.heading = heading;
  statement.parsed = ptx::take_apart(text);
  return statement;
}

}  // namespace

PtxFile Insertions::applied(const PtxFile& file, std::vector<int>& origins) const {
  PtxFile out = file;
  out.statements.clear();
  origins.clear();
  std::string blanks;  // what stood in front of statements that are gone
  const auto put = [&](PlacedStatement statement, std::size_t origin) {
    out.statements.push_back(std::move(statement));
    origins.push_back(static_cast<int>(origin));
  };
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    PlacedStatement statement = file.statements[i];
    statement.before = blanks + statement.before;
    blanks.clear();
    if (const auto found = before_.find(i); found != before_.end())
      for (const std::string& line : found->second)
        put(made(line, std::exchange(statement.before, std::string("\n")), statement.heading), i);
    const int heading = statement.heading;
    if (removed_.contains(i))
      blanks = std::move(statement.before);
    else
      put(std::move(statement), i);
    if (const auto found = after_.find(i); found != after_.end())
      for (const std::string& line : found->second) put(made(line, "\n", heading), i);
  }
  out.after = blanks + out.after;
  return out;
}

}  // namespace phasebit::guard
