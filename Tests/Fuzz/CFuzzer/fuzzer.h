// libFuzzer's entry for programs that have a main of their own; no header of the toolchain declares it.
#ifndef PORTCULLIS_CFUZZER_H
#define PORTCULLIS_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run_one)(const uint8_t *bytes, size_t count));

#endif
