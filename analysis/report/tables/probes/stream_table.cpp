#include "analysis/report/tables/probes/stream_table.h"

#include "analysis/report/data/figures.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using table::Cell;
using table::Table;

namespace {

// What of the data an item of the grid is, and how fast it came.
struct Stream {
  const Aggregate* point = nullptr;
  int sms = 0;
  std::int64_t in_flight_bytes = 0;  // of an SM
  double gigabytes = 0, half_width = 0;
  bool plain = false;
};

// All SMs are those of the device.
Stream stream_of(const Aggregate& point, int device_sms) {
  Stream out{&point};
  out.sms = std::min(point.axes.number("sms", device_sms), device_sms);
  const std::int64_t tile = point.axes.number("payload_bytes");
  const std::int64_t ctas = point.axes.number("ctas_per_sm", 1);
  const std::int64_t stages = point.axes.number("num_stages", 1);
  out.plain = point.axes.value("protocol") == "none";
  out.in_flight_bytes = tile * ctas * stages;
  // Bytes an ns are GB/s.
  const auto bytes = static_cast<double>(tile * ctas * out.sms);
  out.gigabytes = bytes / point.cycles;
  out.half_width = out.gigabytes * point.half_width() / point.cycles;
  return out;
}

bool is_wanted(const Aggregate& point, const data::TableArguments& arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [&](const auto& argument) {
    return point.axes.column(argument.first) == argument.second;
  });
}

Status check_arguments(const std::vector<const Aggregate*>& points,
                       const data::TableArguments& arguments) {
  for (const auto& [axis, value] : arguments) {
    std::set<std::string> values;
    for (const Aggregate* point : points) values.insert(point->axes.column(axis));
    if (!values.contains(value))
      return with_hint(
          fail(Step::usage, "no measured variant of the probe stream has {}={}", axis, value),
          fmt::format("one of {}", fmt::join(values, ", ")));
  }
  return {};
}

// By place and number of SMs: the fastest plain loads.
using Best = std::map<std::pair<std::string, int>, double>;

Cell share_cell(const Stream& stream, const Best& best) {
  const auto found = best.find({stream.point->axes.value("resident"), stream.sms});
  if (found == best.end()) return {};
  const double share = stream.gigabytes / found->second;
  return {fmt::format("{:.3f}", share), share, {}};
}

std::vector<Cell> row_of(const Stream& stream, const Best& best) {
  const auto& axes = stream.point->axes;
  const double width = stream.half_width;
  return {axes.value("resident"),
          stream.sms,
          axes.value("mover"),
          stream.plain ? fmt::format("{} warps", axes.value("consumers")) : axes.warp_layout(),
          axes.value("ctas_per_sm"),
          axes.value("payload_bytes"),
          stream.plain ? "-" : axes.value("num_stages"),
          stream.in_flight_bytes,
          {data::shown_with_interval(stream.gigabytes, width), stream.gigabytes, {}},
          share_cell(stream, best),
          stream.point->id};
}

}  // namespace

Result<Table> stream_table(const data::ReportData& data, const data::TableArguments& arguments) {
  std::vector<const Aggregate*> points;
  for (const Aggregate& point : data.aggregation.points)
    if (point.axes.value("probe") == "stream" && point.reason.empty()) points.push_back(&point);
  if (points.empty() || data.results.devices.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "it is made from the sweep `stream` of specs/bulk.toml");
  PHASEBIT_TRY(check_arguments(points, arguments));
  std::vector<Stream> streams;
  Best best;
  for (const Aggregate* point : points) {
    const Stream one = stream_of(*point, data.results.devices.front().multiprocessors);
    if (one.plain) {
      double& most = best[{point->axes.value("resident"), one.sms}];
      most = std::max(most, one.gigabytes);
    }
    if (is_wanted(*point, arguments)) streams.push_back(one);
  }
  std::stable_sort(streams.begin(), streams.end(), [](const Stream& a, const Stream& b) {
    const auto place = [](const Stream& one) {
      return std::make_pair(one.point->axes.value("resident"), -one.sms);
    };
    return std::make_pair(place(a), -a.gigabytes) < std::make_pair(place(b), -b.gigabytes);
  });
  Table table;
  table.columns = {{"from", false},      {"SMs", true},      {"mover", false},  {"warps", false},
                   {"CTAs an SM", true}, {"tile", true},     {"stages", true},  {"in flight", true},
                   {"GB/s", true},       {"of plain", true}, {"variant", false}};
  for (const Stream& one : streams) table.rows.push_back(row_of(one, best));
  table.notes.push_back(
      "GB/s: 10^9 bytes a second by %globaltimer over the grid, the slope over four sizes; every "
      "word is in a verified sum. In flight: bytes an SM has under way at most. Of plain: share of "
      "the fastest loads without a ring on as many SMs.");
  return table;
}

}  // namespace phasebit::report::tables::probes
