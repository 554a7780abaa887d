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

// What is no text of the verbs.
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

MeasuredFigure figure_of(const ReportData& data, const std::string& target, const std::string& id) {
  const report::data::Aggregate* found = report::data::find_variant(data.aggregation.points, id);
  if (found == nullptr || !found->reason.empty()) return {};
  std::string gpu = found->device_uuid;
  for (const results::DeviceRow& device : data.devices)
    if (device.uuid == gpu) gpu = device.name;
  return {fmt::format("{} {} on {}, for {} by ptxas {}",
                      report::data::shown_with_interval(found->cycles, found->half_width()),
                      found->unit, gpu, target, found->run_ptxas),
          target, found->run_ptxas};
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
    PHASEBIT_TRY_ASSIGN(header, header_text(text, rendered.head, rendered.kernel.ptx_target,
                                            figure_of(data, target, key.id)));
    one.header = std::move(header);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace phasebit::join::emit
