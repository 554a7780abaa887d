#include "pipeline/select/space.h"

namespace phasebit {

fs::path templates_folder(const SpaceRequest& request) {
  return request.templates.empty() ? request.home.data / "templates" : fs::path(request.templates);
}

Result<Catalogue> load_catalogue(const SpaceRequest& request) {
  return Catalogue::load(templates_folder(request));
}

}  // namespace phasebit
