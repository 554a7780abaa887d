// What reports need of a catalogue: they travel with the results, so that a table needs no
// templates.
#pragma once

#include "gen/catalogue/catalogue.h"

#include <nlohmann/json.hpp>

namespace phasebit::render {

// {"axes": {AXIS: {"default": VALUE, "label": WORD}}, "protocols": {NAME: {"waits_on": WORDS}}}.
// Components may declare one axis with other defaults: then "COMPONENT.AXIS" stands beside "AXIS",
// which is that of the first. In `waits_on`, {axis} stands for the axis's value;
// what is in brackets stands only where one of its axes is not at its default.
nlohmann::json catalogue_facts(const catalogue::Catalogue& catalogue);

}  // namespace phasebit::render
