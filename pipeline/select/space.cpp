#include "pipeline/select/space.h"

namespace phasebit::pipeline::select {

fs::path templates_folder(const SpaceRequest& request) {
  return request.templates.empty() ? request.home.data / "templates" : fs::path(request.templates);
}

Result<catalogue::Catalogue> load_catalogue(const SpaceRequest& request) {
  return catalogue::Catalogue::load(templates_folder(request));
}

}  // namespace phasebit::pipeline::select
