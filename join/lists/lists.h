// What there is to choose from, as tables: what the templates, the specs, the results and this
// machine have.
#pragma once

#include "core/base/home.h"
#include "core/base/table.h"

#include <string>
#include <vector>

namespace phasebit::join::lists {

struct ListRequest {
  base::Home home;
  std::string templates;             // empty: the project's
  std::string spec;                  // of sweeps: one file; empty: all of the project's
  std::vector<std::string> results;  // of devices: in addition to the published
};

// "axes", "protocols", ..., in the order of the data flow.
std::vector<std::string> list_names();

// One of them. Step::usage for another word, with the nearest, and for a part of the request that
// the list has no use for.
Result<base::Table> make_list(const std::string& name, const ListRequest& request);

// Lists of the space: what templates and specs declare.

// Every axis with what declares it, its values, its default and what it means; those of ptxas last.
// Of more than 40 values the first three and their number.
Result<base::Table> list_axes(const ListRequest& request);
Result<base::Table> list_probes(const ListRequest& request);
Result<base::Table> list_protocols(const ListRequest& request);
Result<base::Table> list_movers(const ListRequest& request);
Result<base::Table> list_works(const ListRequest& request);
// Every sweep with the number of its variants.
Result<base::Table> list_sweeps(const ListRequest& request);

}  // namespace phasebit::join::lists
