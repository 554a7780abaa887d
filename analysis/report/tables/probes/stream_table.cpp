#include "analysis/report/tables/probes/stream_table.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/tables/probes/copies.h"
#include "analysis/report/tables/probes/wanted.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace phasebit::report::tables::probes {

using data::Aggregate;
using table::Cell;
using table::Table;

namespace {

// What of the data an item of the grid is, and how fast it came.
struct Stream {
  const Aggregate* point = nullptr;
  int sms = 0;
  std::int64_t tile = 0;
  std::int64_t in_flight_bytes = 0;  // of an SM
  double gigabytes = 0, half_width = 0;
  bool plain = false;
  std::pair<std::string, int> place() const { return {point->axes.value("resident"), -sms}; }
};

// All SMs are those of the device.
Stream stream_of(const Aggregate& point, int device_sms) {
  Stream out{&point};
  out.sms = std::min(point.axes.number("sms", device_sms), device_sms);
  out.tile = point.axes.number("payload_bytes");
  const std::int64_t ctas = point.axes.number("ctas_per_sm", 1);
  const std::int64_t stages = point.axes.number("num_stages", 1);
  out.plain = point.axes.value("protocol") == "none";
  out.in_flight_bytes = out.tile * ctas * stages;
  // Bytes an ns are GB/s.
  const auto bytes = static_cast<double>(out.tile * ctas * out.sms);
  out.gigabytes = bytes / point.cycles;
  out.half_width = out.gigabytes * point.half_width() / point.cycles;
  return out;
}

// The yardsticks of the same place and number of SMs, on the same GPU: the memory of one is up to
// 2 % faster than that of another of its model.
struct Best {
  double plain = 0, any = 0;
};
using Yard = std::tuple<std::string, std::string, int>;
using BestOf = std::map<Yard, Best>;

Yard yard_of(const Stream& stream) {
  return {stream.point->device_uuid, stream.place().first, stream.sms};
}

BestOf best_of(const std::vector<Stream>& streams) {
  BestOf best;
  for (const Stream& one : streams) {
    Best& here = best[yard_of(one)];
    here.any = std::max(here.any, one.gigabytes);
    if (one.plain) here.plain = std::max(here.plain, one.gigabytes);
  }
  return best;
}

Cell share_cell(double gigabytes, double yardstick) {
  if (yardstick <= 0) return {};
  return {fmt::format("{:.3f}", gigabytes / yardstick), gigabytes / yardstick, {}};
}

// What the bytes in flight can bring, when each copy takes as long as one alone.
Cell little_cell(const Stream& stream, const CopyLatencies& latencies) {
  const auto at = latencies.find({stream.point->axes.value("resident"), stream.tile});
  if (at == latencies.end()) return {};
  const double line = static_cast<double>(stream.in_flight_bytes * stream.sms) / at->second;
  return {fmt::format("{:.0f}", line), line, {}};
}

Cell known_cell(double value) {
  return value > 0 ? Cell{fmt::format("{:.0f}", value), value, {}} : Cell{};
}

std::vector<Cell> row_of(const Stream& stream, const Best& best, const CopyLatencies& latencies) {
  const auto& axes = stream.point->axes;
  const record::DeviceState& state = stream.point->state;
  return {axes.value("resident"),
          stream.sms,
          axes.value("mover"),
          stream.plain ? fmt::format("{} warps", axes.value("consumers")) : axes.warp_layout(),
          axes.value("ctas_per_sm"),
          axes.value("payload_bytes"),
          stream.plain ? "-" : axes.value("num_stages"),
          stream.in_flight_bytes,
          little_cell(stream, latencies),
          {data::shown_with_interval(stream.gigabytes, stream.half_width), stream.gigabytes, {}},
          share_cell(stream.gigabytes, best.any),
          share_cell(stream.gigabytes, best.plain),
          known_cell(stream.point->megahertz),
          known_cell(state.memory_megahertz),
          known_cell(state.watts),
          stream.point->id};
}

// The number behind "most=", taken out of the arguments; 0 without one.
Result<std::size_t> take_most(data::TableArguments& arguments) {
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [](const auto& one) { return one.first == "most"; });
  if (at == arguments.end()) return 0;
  const std::string text = at->second;
  arguments.erase(at);
  std::size_t most = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), most);
  if (wrong != std::errc{} || end != text.data() + text.size() || most == 0)
    return with_hint(fail(Step::usage, "most={}", text),
                     "a number: so many rows of a place, a number of SMs and a mover");
  return most;
}

// Of each place, number of SMs and mover the fastest. `streams` are sorted, the fastest first.
void keep_fastest(std::vector<Stream>& streams, std::size_t most) {
  if (most == 0) return;
  std::map<std::tuple<std::string, int, std::string>, std::size_t> seen;
  std::erase_if(streams, [&](const Stream& one) {
    return ++seen[{one.place().first, one.sms, one.point->axes.value("mover")}] > most;
  });
}

std::vector<Stream> streams_of(const std::vector<const Aggregate*>& points, int device_sms) {
  std::vector<Stream> streams;
  for (const Aggregate* point : points) streams.push_back(stream_of(*point, device_sms));
  std::stable_sort(streams.begin(), streams.end(), [](const Stream& a, const Stream& b) {
    return std::make_pair(a.place(), -a.gigabytes) < std::make_pair(b.place(), -b.gigabytes);
  });
  return streams;
}

Table empty_table() {
  Table table;
  table.columns = {
      {"from", false},      {"SMs", true},        {"mover", false},  {"warps", false},
      {"CTAs an SM", true}, {"tile", true},       {"stages", true},  {"in flight", true},
      {"Little", true},     {"GB/s", true},       {"of best", true}, {"of plain", true},
      {"MHz", true},        {"memory MHz", true}, {"W", true},       {"variant", false}};
  table.notes.emplace_back(
      "GB/s: 10^9 bytes a second by %globaltimer over the grid, the slope over four sizes; every "
      "word, or product, is in a verified sum. In flight: bytes an SM has under way at most. "
      "Little: GB/s when each tile takes as long "
      "as one bulk copy of it alone (probe `issue`, one stage, from the same place). Of best, of "
      "plain: share of the fastest variant, and of the fastest loads without a ring, on as many "
      "SMs of the same GPU from the same place. MHz: achieved by the SMs; memory MHz and watts as "
      "the driver says while the grids run. Watts lag behind by more than a point lasts: they are "
      "of the rows measured before, too.");
  return table;
}

}  // namespace

Result<Table> stream_table(const data::ReportData& data, const data::TableArguments& arguments) {
  std::vector<const Aggregate*> points;
  for (const Aggregate& point : data.aggregation.points)
    if (point.axes.value("probe") == "stream" && point.reason.empty()) points.push_back(&point);
  if (points.empty() || data.results.devices.empty())
    return with_hint(fail(Step::usage, "no measured variant is in this table"),
                     "it is made from the sweep `stream` of specs/bulk.toml");
  const int device_sms = data.results.devices.front().multiprocessors;
  const BestOf best = best_of(streams_of(points, device_sms));
  data::TableArguments axes = arguments;
  PHASEBIT_TRY_ASSIGN(most, take_most(axes));
  PHASEBIT_TRY(keep_wanted(points, axes));
  std::vector<Stream> streams = streams_of(points, device_sms);
  keep_fastest(streams, most);
  const CopyLatencies latencies = copy_latencies(data);
  Table table = empty_table();
  for (const Stream& one : streams)
    table.rows.push_back(row_of(one, best.at(yard_of(one)), latencies));
  return table;
}

}  // namespace phasebit::report::tables::probes
