// The few declarations that Swift's Glibc module lacks, and the one thing that must be C: a signal handler.
#ifndef PORTCULLIS_CLINUX_H
#define PORTCULLIS_CLINUX_H

#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>

#if defined(__linux__)
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#endif

// Opens a new pseudo-terminal's master, closed on exec, and writes the path of its slave.
// Returns the descriptor, or -1 with errno set.
int clinux_open_pseudo_terminal(char *slave_path, size_t capacity);

// Starts a program as the leader of a new session whose controlling terminal is the slave at `slave_path`, with
// the slave as its standard streams, every signal at its default and unblocked, and no other descriptor.
// Returns 0, or what posix_spawn says.
int clinux_spawn_on_terminal(
    pid_t *pid, const char *slave_path, const char *program, char *const arguments[], char *const environment[]
);

// Writes the number of each of these signals as one byte to `descriptor` (non-blocking) from now on.
// The handler is C because code that may allocate or lock must not run in one.
void clinux_watch_signals(int descriptor, const int *signals, int count);

#endif
