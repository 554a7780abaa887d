#include "bench/worker/worker.h"

#include "bench/worker/channel.h"
#include "bench/worker/message.h"
#include "core/image/bundle.h"

#include <algorithm>

namespace phasebit::bench::worker {
namespace {

struct Opened {
  image::Manifest manifest;
  std::unique_ptr<device::Device> device;
};

Result<Opened> open(const device::DeviceRequest& request,
                    const device::DeviceFactory& open_device) {
  PHASEBIT_TRY_ASSIGN(manifest, image::read_manifest(request.bundle));
  PHASEBIT_TRY_ASSIGN(device, open_device(request));
  PHASEBIT_TRY(device::check_target(manifest.target, device->info()));
  for (image::BundleVariant& variant : manifest.variants)
    variant.launch.sms = std::min(variant.launch.sms, device->info().row.multiprocessors);
  return Opened{std::move(manifest), std::move(device)};
}

class Server {
 public:
  Server(Opened& opened, const fs::path& bundle, Channel& channel)
      : meter_(*opened.device, bundle), channel_(channel) {
    for (const image::BundleVariant& variant : opened.manifest.variants)
      variants_.emplace(variant.key.hash, &variant);
  }

  WorkerReply serve(const std::string& line) {
    const auto request = decode_request(line);
    if (!request) return request.error();
    const auto variant = variants_.find(request->variant_hash);
    if (variant == variants_.end())
      return Error{Step::bundle, fmt::format("no variant {}", request->variant_hash), {}};
    point::MeasureRequest measure;
    measure.variant = variant->second;
    measure.placement = request->placement;
    measure.seed = request->seed;
    measure.max_rounds = request->max_rounds;
    measure.max_seconds = request->max_seconds;
    measure.timer_tick_ns = request->timer_tick_ns;
    measure.hang_seconds = request->hang_seconds;
    auto measured = meter_.measure(
        measure, [&](point::Phase phase) { channel_.send(encode(WorkerReply(phase))); });
    if (!measured) return measured.error();
    measured->quality.first_use = first_;
    first_ = false;
    return std::move(*measured);
  }

 private:
  point::Meter meter_;
  Channel& channel_;
  std::map<std::string, const image::BundleVariant*> variants_;
  bool first_ = true;
};

}  // namespace

int run_worker(const device::DeviceRequest& request, const device::DeviceFactory& open_device) {
  Channel channel(worker_fd);
  auto opened = open(request, open_device);
  if (!opened) {
    channel.send(encode(WorkerReply(opened.error())));
    return base::exit_code(opened.error().step);
  }
  channel.send(encode(WorkerReply(opened->device->info())));
  Server server(*opened, request.bundle, channel);
  while (true) {
    const Channel::Received received = channel.receive(std::nullopt, nullptr);
    if (received.end != Channel::End::line) return 0;
    if (!channel.send(encode(server.serve(received.line)))) return 0;
  }
}

}  // namespace phasebit::bench::worker
