#include "CSquareRoots.h"
void rc_sqrt_placeholder(void) {}
