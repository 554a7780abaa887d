// Where an instruction comes from, kept while the backend moves it.
#pragma once

namespace phasebit::llvm_program {

// The backend's sinking gives what it moves a place between that of the instruction and that of
// its new neighbour. From now on each keeps its own: the gate counts it at its verb. Once, before
// the first module is lowered.
void keep_places_of_moved_code();

}  // namespace phasebit::llvm_program
