// The way to a TPM 2.0: the TCTI libraries of tpm2-tss, opened when a chip is first asked for.
//
// Nothing links to them and no header of theirs is needed: a build needs no tpm2-tss, and a program that asks no chip loads
// none. What is declared here is the TCTI's binary interface, which its specification fixes.
#ifndef PORTCULLIS_CTSS_H
#define PORTCULLIS_CTSS_H

#include <stddef.h>
#include <stdint.h>

// Opens the loader of TCTIs. Returns 0, or -1 where libtss2-tctildr is not installed. May be called any number of times.
int ctss_load(void);

// Whether a library of this file name can be opened.
int ctss_has_library(const char *file);

// Connects to a chip as `name:configuration` says. Returns the TCTI's code; 0 on success, with the connection.
uint32_t ctss_connect(const char *name, void **connection);

// Sends a command. Returns the TCTI's code.
uint32_t ctss_send(void *connection, const uint8_t *bytes, size_t count);

// Receives an answer of up to `*count` bytes, and waits for it. Returns the TCTI's code.
uint32_t ctss_receive(void *connection, uint8_t *bytes, size_t *count);

// Ends a connection.
void ctss_disconnect(void *connection);

#endif
