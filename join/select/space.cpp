#include "join/select/space.h"

namespace phasebit::join::select {

fs::path templates_folder(const SpaceRequest& request) {
  return request.templates.empty() ? request.home.data / "templates" : fs::path(request.templates);
}

Result<space::Catalogue> load_catalogue(const SpaceRequest& request) {
  return space::Catalogue::load(templates_folder(request));
}

}  // namespace phasebit::join::select
