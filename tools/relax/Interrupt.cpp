#include "tools/relax/Interrupt.h"

#include "tools/relax/Command.h"

#include <csignal>
#include <unistd.h>

namespace relax::tool {
namespace {

volatile std::sig_atomic_t pressed = 0;

void onInterrupt(int) {
  if (pressed)
    _exit(exitCancelled);
  pressed = 1;
}

} // namespace

void watchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that waiting for a line of input ends too.
  action.sa_flags = 0;
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return pressed != 0; }

void clearInterrupt() { pressed = 0; }

} // namespace relax::tool
