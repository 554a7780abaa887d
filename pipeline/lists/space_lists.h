// Lists of the space: what templates and specs declare.
#pragma once

#include "pipeline/lists/lists.h"

namespace phasebit::pipeline::lists {

// Every axis with who declares it, its values, its default and what it means; those of ptxas last.
// Of more than 40 values the first three and their number.
Result<table::Table> list_axes(const ListRequest& request);
Result<table::Table> list_probes(const ListRequest& request);
Result<table::Table> list_protocols(const ListRequest& request);
Result<table::Table> list_movers(const ListRequest& request);
Result<table::Table> list_works(const ListRequest& request);
// Every sweep with the number of its variants.
Result<table::Table> list_sweeps(const ListRequest& request);

}  // namespace phasebit::pipeline::lists
