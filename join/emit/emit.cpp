#include "join/emit/emit.h"

#include "analysis/report/data/aggregate.h"
#include "gen/kernel/kernel_file.h"
#include "join/explain/history.h"
#include "join/images/prepare.h"
#include "join/select/open_space.h"

#include <algorithm>

namespace phasebit::join::emit {

using report::data::ReportData;

namespace {

// What a header cannot be made of.
Status check(const space::Catalogue& catalogue, const launch::VariantKey& key) {
  const auto refuse = [&](const std::string& why) -> Status {
    return fail(Step::usage, "{}: no header: {}", key.id, why);
  };
  if (key.value("probe") != "ring") return refuse("a header is made of a ring: `ring/...`");
  const space::Component* protocol =
      catalogue.find(space::ComponentKind::protocol, key.value("protocol"));
  if (protocol != nullptr && !protocol->protocol.no_header.empty())
    return refuse(fmt::format("{}: {}", protocol->name, protocol->protocol.no_header));
  if (!key.text_id.empty() && key.text_id != key.id)
    return refuse("how a text is compiled is the user's: leave the compiler's axes out");
  return {};
}

std::string figure_text(const ReportData& data, const report::data::Aggregate& one,
                        const std::string& target) {
  std::string gpu = one.device_uuid;
  for (const results::DeviceRow& device : data.devices)
    if (device.uuid == gpu) gpu = device.name;
  // In ASCII: compilers read it.
  std::string value = report::data::shown_with_interval(one.cycles, one.half_width());
  if (const std::size_t at = value.find("\u00b1"); at != std::string::npos)
    value.replace(at, 2, "+-");
  return fmt::format("{} {} on {}, for {} by ptxas {}", value, one.unit, gpu, target,
                     one.run_ptxas);
}

MeasuredFigure figure_of(const ReportData& data, const std::string& target,
                         const launch::VariantKey& key) {
  MeasuredFigure figure;
  for (const report::data::Aggregate& one : data.aggregation.points) {
    if (!one.reason.empty()) continue;
    if (one.axes.value("emitted") == key.hash)
      figure.through_nvcc = figure_text(data, one, target) + ", nvcc " + one.axes.value("nvcc");
    if (one.id != key.id) continue;
    figure.text = figure_text(data, one, target);
    figure.target = target;
    figure.ptxas = one.run_ptxas;
  }
  return figure;
}

Result<ReportData> results_for(const EmitRequest& request) {
  const base::Home& home = request.space.home;
  if (request.results.empty())
    return explain::published_data_of(home, request.variants, request.device, request.target);
  return explain::measured_data(home, request.results, request.device, request.target);
}

}  // namespace

Result<std::vector<Emitted>> emit(const EmitRequest& request) {
  std::vector<Emitted> out;
  PHASEBIT_TRY_ASSIGN(data, results_for(request));
  for (const std::string& variant : request.variants) {
    PHASEBIT_TRY_ASSIGN(space, select::open_one(request.space, variant));
    const launch::VariantKey& key = space.expansion.variants.front();
    PHASEBIT_TRY(check(space.catalogue, key));
    PHASEBIT_TRY_ASSIGN(rendered, images::render_one(space, key, launch::Build::timed));
    Emitted one{key.id, key.id, {}, kernel::kernel_file(space.catalogue, rendered)};
    std::replace(one.name.begin(), one.name.end(), '/', '.');
    PHASEBIT_TRY_ASSIGN(target, explain::target_of_rows(request.target, data, {key.id}));
    PHASEBIT_TRY_ASSIGN(text, VerbText::read(one.ptx, one.name + ".ptx"));
    PHASEBIT_TRY_ASSIGN(ptx, isa::parse_version(rendered.kernel.ptx_version));
    const std::string& lowest = rendered.kernel.ptx_target;
    PHASEBIT_TRY_ASSIGN(
        header, header_text(text, rendered.head, {lowest, ptx, figure_of(data, target, key)}));
    one.header = std::move(header);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace phasebit::join::emit
