#include "CMicrohttpd.h"
void rc_placeholder(void) {}
