// Connects to a TPM 2.0 through the TCTI libraries of tpm2-tss.
//
// The libraries are opened when a program first asks for a chip. A build does not link to them and needs none of their
// headers. These functions use the TCTI's binary interface, which the TCTI specification fixes.
#ifndef PORTCULLIS_CTSS_H
#define PORTCULLIS_CTSS_H

#include <stddef.h>
#include <stdint.h>

// Opens the loader of TCTIs. Returns 0, or -1 if libtss2-tctildr cannot be used. It may be called any number of times.
int ctss_load(void);

// Whether a library of this file name can be opened.
int ctss_has_library(const char *file);

// Connects to a chip. The name has the form `name:configuration`. Returns the TCTI's code, which is 0 on success.
uint32_t ctss_connect(const char *name, void **connection);

// Sends a command. Returns the TCTI's code.
uint32_t ctss_send(void *connection, const uint8_t *bytes, size_t count);

// Waits for an answer and receives it, up to `*count` bytes. Returns the TCTI's code.
uint32_t ctss_receive(void *connection, uint8_t *bytes, size_t *count);

// Ends a connection.
void ctss_disconnect(void *connection);

#endif
