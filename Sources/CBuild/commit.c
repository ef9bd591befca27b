#include "CBuild.h"

// Only C takes a value from the package's manifest without unsafe flags.
#ifndef PORTCULLIS_COMMIT
#define PORTCULLIS_COMMIT "unknown"
#endif

const char *cbuild_commit(void) { return PORTCULLIS_COMMIT; }
