// Which forms stand in rings, where the mover or the protocol has them.
#pragma once

#include "core/isa/forms.h"
#include "pipeline/images/prepare.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::pipeline::coverage {

// What a statement and the form that it is have in common: the opcode, and which operands are
// literals. "" for what is no statement. "cp.async.bulk.wait_group.read #"
std::string shape_of_statement(std::string_view statement);

// By id of the form: the first of these variants that has it.
std::map<std::string, std::string> reached_forms(const isa::FormTable& table,
                                                 const std::vector<images::Prepared>& rings);

}  // namespace phasebit::pipeline::coverage
