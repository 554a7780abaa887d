// Ctrl-C as a flag: what is finished is kept, the rest is not begun.
#pragma once

namespace phasebit::base {

// SIGINT and SIGTERM set the flag; a second SIGINT ends the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace phasebit::base
