// SIGINT and SIGTERM: as a flag, for programs that keep what is finished; or as an end that leaves
// no files.
#pragma once

#include <filesystem>
#include <mutex>

#include <sys/types.h>

namespace phasebit::base {

// SIGINT and SIGTERM set the flag; a second SIGINT ends the program at once.
void catch_interrupts();
bool interrupted();

// SIGINT and SIGTERM end the program, by that signal, when its children have been asked to end and
// what is noted as unfinished has been removed.
void clean_up_on_interrupt();

// While it is held, nothing is removed: a file is made and noted in one step.
std::unique_lock<std::mutex> hold_interrupts();
// With interrupts held.
void note_unfinished(const std::filesystem::path& path);
void note_child(pid_t child);
// Takes hold itself.
void forget_unfinished(const std::filesystem::path& path);
void forget_child(pid_t child);

}  // namespace phasebit::base
