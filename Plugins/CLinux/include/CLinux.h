// Declarations that Swift's Glibc module lacks, and code that must be C, such as a signal handler.
#ifndef PORTCULLIS_CLINUX_H
#define PORTCULLIS_CLINUX_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#if defined(__linux__)
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/timex.h>

// secure_getenv(3), which the C library declares for _GNU_SOURCE only.
char *secure_getenv(const char *name);
#endif

// Opens the master of a new pseudo-terminal, with close-on-exec, and writes the path of its slave to `slave_path`.
// Returns the descriptor, or -1 with errno set.
int clinux_open_pseudo_terminal(char *slave_path, size_t capacity);

// Starts a program as the leader of a new session with the slave at `slave_path` as its controlling terminal and standard
// streams. If `input` is not -1, it is the standard input. Every signal has its default handling and is unblocked, and no
// other descriptor is open. Returns 0, or the error of posix_spawn.
int clinux_spawn_on_terminal(
    pid_t *pid, const char *slave_path, int input, const char *program, char *const arguments[],
    char *const environment[]
);

// Tells which signals a watch leaves alone.
enum {
    // The watch takes all of its signals.
    CLINUX_SPARES_NONE,
    // The watch spares signals that the process ignores.
    CLINUX_SPARES_IGNORED,
    // The watch also spares signals that the program or another watch handles. Two watches with this value both take
    // a signal.
    CLINUX_SPARES_HANDLED
};

// Begins to take signals: bit n - 1 of `taken` stands for signal n. For each taken signal that is also in `noted`, the
// handler writes the signal's number as one byte to the non-blocking `descriptor`. Several watches may take the same
// signal. The handler is in C, because a signal handler must not allocate or lock. Returns the watch, or -1 with errno
// set to EAGAIN when all 64 watches are in use.
int clinux_watch_signals(int descriptor, uint64_t taken, uint64_t noted, int sparing);

// Ends a watch. Nothing more is written to its descriptor. Returns the signals whose earlier handling was restored,
// because no other watch takes them.
uint64_t clinux_unwatch_signals(int watch);

// Stops the process until it is continued, like the default effect of SIGTSTP. In an orphaned process group no shell
// could continue the process. There the system drops the signal, and the process goes on at once.
void clinux_stop_process(void);

// Stops the process and the rest of its process group, as the system does when a process of a background group reads its
// terminal (SIGTTIN). Does nothing if the process ignores SIGTTIN. In an orphaned process group the process goes on at
// once. So does a process that another process of the group continues during the call.
void clinux_stop_job(void);

// Gets the user of the process at the other end of a Unix socket, as of the time of the connection. Returns 0, or -1 with
// errno set.
int clinux_peer_user(int socket, uid_t *user);

// Keeps other processes of this user from tracing this process and reading its memory, and the system from writing a core
// dump. Programs that this process starts are not affected. Returns 0, or -1 with errno set.
int clinux_deny_tracing(void);

#if defined(__linux__)
// Opens a descriptor of a process. No later process with the same number is reached through it. Returns the descriptor, or
// -1 with errno set.
int clinux_open_process(pid_t pid);

// Sends a signal to the process of a descriptor. Returns 0, or -1 with errno set.
int clinux_signal_process(int process, int signal);

// Opens a non-blocking stream of the programs that are started on this machine. The call first checks that the stream
// reports processes by their numbers in this namespace. Returns the descriptor, or -1 with errno set.
int clinux_open_starts(void);

// Reads the processes that have started a program since the last read, up to `capacity`. Returns their number; -1 with
// errno set when there are none (EAGAIN) or some were lost (ENOBUFS).
int clinux_read_starts(int starts, pid_t *processes, int capacity);

// Opens a regular file for reading, with close-on-exec. Other files, such as devices and pipes, are never opened, even if
// the path's target changes during the call. Needs the process table at /proc. Returns the descriptor, or -1 with errno
// set: EINVAL when the file is no regular file.
int clinux_open_regular(const char *path);

// Whether a file gives its program capabilities (capabilities(7)). On a file system without capabilities the answer is 0.
// Returns 1 also when the answer cannot be read.
int clinux_has_capabilities(const char *path);

// Opens a gate. Before a file behind the gate is opened, the kernel asks the process that holds the gate. Returns the
// descriptor, or -1 with errno set.
int clinux_open_gate(void);

// Gets a descriptor of a file without opening the file, so no gate is asked. The two functions below take this descriptor.
// Returns the descriptor, or -1 with errno set.
int clinux_hold_file(const char *path);

// The first puts a file behind the gate, the second removes it. Each returns 0, or -1 with errno set.
int clinux_gate_file(int gate, int file);
int clinux_ungate_file(int gate, int file);

// Removes all files from the gate, including files that no path leads to any more. Returns 0, or -1 with errno set.
int clinux_ungate_all(int gate);

// Gives the calling thread, and the threads that it starts, an empty table of descriptors that they share with no other
// thread. No child of this process inherits what they open, not even between fork and exec. The descriptors are closed
// when the process ends. Returns 0, or -1 with errno set.
int clinux_seclude_descriptors(void);

// A denied start: the process, and an open descriptor of the file. The reader of the denial closes the descriptor.
struct clinux_denial {
    pid_t process;
    int file;
};

// Answers the kernel's questions until `end` is readable. It denies processes of `users` and allows `own` and all other
// processes. Exception: a process of this process's user and program may open a file to read it, also if its user is
// denied. For each denial a `clinux_denial` is written to the non-blocking pipe `denials`, if the pipe has room. The
// function is in C, because it must not allocate, lock or open anything while the asking process waits.
void clinux_run_gate(int gate, int end, int denials, pid_t own, const uid_t *users, int count);

// The status of a file without its times.
struct clinux_status {
    unsigned long long device, inode, links, size;
    unsigned int owner, mode;
};

// Gets the status of an open file, or of the file at `path` without following a link. Returns 0, or -1 with errno set.
// The call does not read the file's times. A file whose time was read gets a finer time at its next write, and the next
// sync has to write that time to disk as well (multigrain timestamps, since Linux 6.13).
int clinux_status(int file, const char *path, struct clinux_status *status);

// The status of a file with its times. A new file with the number of a removed one has another time of birth.
struct clinux_dated_status {
    unsigned long long device, inode, size;
    unsigned int mode, links;
    struct timespec changed, born;
};

// Gets the status of an open file, or of the file that `path` leads to. The time of birth is 0 where the file system or a
// sandbox does not tell it. Returns 0, or -1 with errno set.
int clinux_dated_status(int file, const char *path, struct clinux_dated_status *found);

// Gets the status of the target of a kernel's link, such as /proc/PID/exe, from the kernel's cache. The file system is
// not asked, so it cannot block the call. Returns 0, or -1 with errno set.
int clinux_held_status(const char *link, struct clinux_dated_status *found);

// Gets the status of the file that a path leads to, if the kernel has each part of the path in its cache. Returns 0, or
// -1 with errno set: EAGAIN where a file system would have to be asked, EINVAL or ENOSYS on kernels that cannot do this
// (before 5.12).
int clinux_cached_status(const char *path, struct clinux_dated_status *found);

// Reads a word of memory that other threads or processes write. The read comes before all later reads (acquire order).
static inline uint32_t clinux_load(const void *word) {
    return __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE);
}

// Stores bytes under a name in this user's persistent keyring in the kernel, and replaces earlier bytes of that name.
// Returns 0, or -1 with errno set: ENOSYS, EOPNOTSUPP or EPERM where this process can use no such keyring.
int clinux_keep_key(const char *name, const void *bytes, size_t count);

// Reads the bytes that are stored under a name, up to `capacity`. Returns their full number, or -1 with errno set: ENOKEY
// when nothing is stored.
ssize_t clinux_read_key(const char *name, void *bytes, size_t capacity);

// Deletes the bytes that are stored under a name. Returns 0, or -1 with errno set.
int clinux_drop_key(const char *name);

// Gives the calling thread a new, empty session keyring (session-keyring(7)) in place of the present one. Programs that the
// thread starts get the new one. Returns 0, or -1 with errno set: ENOSYS or EPERM where this process can use no keyrings.
int clinux_leave_session_keyring(void);
#endif

#endif
