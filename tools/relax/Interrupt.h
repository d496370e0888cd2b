//===- Interrupt.h - Ctrl-C ------------------------------------------------------------------===//
#pragma once

namespace relax::tool {

/// From now on the first Ctrl-C sets a flag; a second one before the flag was cleared ends the
/// program with exit code 130.
void watchInterrupts();
/// Whether Ctrl-C was pressed since the flag was last cleared.
bool interrupted();
void clearInterrupt();

} // namespace relax::tool
