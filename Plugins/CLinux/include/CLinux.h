// The few declarations that Swift's Glibc module lacks, and the one thing that must be C: a signal handler.
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

// Opens a new pseudo-terminal's master, closed on exec, and writes the path of its slave.
// Returns the descriptor, or -1 with errno set.
int clinux_open_pseudo_terminal(char *slave_path, size_t capacity);

// Starts a program as the leader of a new session whose controlling terminal is the slave at `slave_path`, with
// the slave as its standard streams, every signal at its default and unblocked, and no other descriptor. Where
// `input` is not -1 it is the standard input instead. Returns 0, or what posix_spawn says.
int clinux_spawn_on_terminal(
    pid_t *pid, const char *slave_path, int input, const char *program, char *const arguments[],
    char *const environment[]
);

// Which signals a watch leaves alone.
enum {
    // None.
    CLINUX_SPARES_NONE,
    // Those that are ignored.
    CLINUX_SPARES_IGNORED,
    // Those, and what the program or another watch handles; of two watches that spare such ones, both get a signal.
    CLINUX_SPARES_HANDLED
};

// Takes signals, bit n - 1 for the signal n, and writes the number of each that is also `noted` as one byte to
// `descriptor` (non-blocking) from now on. Several watches may have the same signal.
// The handler is C because code that may allocate or lock must not run in one.
// Returns the watch, or -1 with errno set to EAGAIN: there are 64 of them.
int clinux_watch_signals(int descriptor, uint64_t taken, uint64_t noted, int sparing);

// Ends a watch; nothing is written to its descriptor any more. Returns the signals that do again what they did before
// the first watch had them, because no other has them.
uint64_t clinux_unwatch_signals(int watch);

// Stops the process until it is continued, as SIGTSTP does by itself. Where no shell is left that could continue it, in an
// orphaned process group, the system drops the signal, and the process goes on at once.
void clinux_stop_process(void);

// The user of the process at the other end of a Unix socket, as it was when the connection was made.
// Returns 0, or -1 with errno set.
int clinux_peer_user(int socket, uid_t *user);

// Keeps other processes of this user from reading this one's memory and from tracing it, and the system from
// dumping it; what it starts is as usual again. Returns 0, or -1 with errno set.
int clinux_deny_tracing(void);

#if defined(__linux__)
// A descriptor of a process, which no later process with its number shares. Returns it, or -1 with errno set.
int clinux_open_process(pid_t pid);

// Sends a signal to the process of a descriptor. Returns 0, or -1 with errno set.
int clinux_signal_process(int process, int signal);

// Opens a non-blocking stream of the programs that are started on this machine, once it has proved to tell of
// processes by the numbers they have here. Returns the descriptor, or -1 with errno set.
int clinux_open_starts(void);

// Reads the processes that have started another program since the last read, up to `capacity`.
// Returns how many; -1 with errno set when there are none (EAGAIN) or some were lost (ENOBUFS).
int clinux_read_starts(int starts, pid_t *processes, int capacity);

// Opens a regular file for reading, closed on exec. Anything else, such as a device or a pipe, is not opened at all,
// also where the path leads to something else from one moment to the next. Needs the process table at /proc.
// Returns the descriptor, or -1 with errno set: EINVAL where it is no regular file.
int clinux_open_regular(const char *path);

// Whether a file has capabilities that its program gets (capabilities(7)). A file system that knows none has none.
// Returns 1 also where that cannot be found out.
int clinux_has_capabilities(const char *path);

// Opens a gate, through which the kernel asks before a file is opened. Returns the descriptor, or -1 with errno set.
int clinux_open_gate(void);

// Holds a file without opening it, which asks no gate. Returns a descriptor for the two below, or -1 with errno set.
int clinux_hold_file(const char *path);

// Puts a file behind the gate, or takes it away. Returns 0, or -1 with errno set.
int clinux_gate_file(int gate, int file);
int clinux_ungate_file(int gate, int file);

// Takes all files away from the gate, also those that no path leads to any more. Returns 0, or -1 with errno set.
int clinux_ungate_all(int gate);

// Gives the calling thread, and the threads that it starts, a table of descriptors of their own, and an empty one.
// What they open is then in no child of this process, not even between its start and its exec, and is closed for
// good when the process ends. Returns 0, or -1 with errno set.
int clinux_seclude_descriptors(void);

// A start that was denied: the process that asked, and the file, open. The reader of this closes it.
struct clinux_denial {
    pid_t process;
    int file;
};

// Answers the kernel's questions until `end` can be read: no for processes of these users, yes for `own` and for all
// other processes. Of those users, another process of this one's own user and program may open a file to read it.
// Writes a `clinux_denial` for each no to the non-blocking pipe `denials`, as long as that has room.
// It is C because it must not allocate, lock or open anything: the process that asks waits meanwhile.
void clinux_run_gate(int gate, int end, int denials, pid_t own, const uid_t *users, int count);

// What a file is, but for its times.
struct clinux_status {
    unsigned long long device, inode, links, size;
    unsigned int owner, mode;
};

// Says what an open file is, or where there is a path what lies there, links not followed. Returns 0, or -1 with errno set.
// It does not ask for the file's times: a file whose time was asked for gets a finer one with its next write, which the
// next sync then has to bring to disk with it (multigrain timestamps, since Linux 6.13).
int clinux_status(int file, const char *path, struct clinux_status *status);

// What a file is, with its times: a file that has the number of a removed one has another time of birth.
struct clinux_dated_status {
    unsigned long long device, inode, size;
    unsigned int mode, links;
    struct timespec changed, born;
};

// Says what an open file is, or where there is a path what it leads to. Where the file system or a sandbox does not tell,
// the time of birth is 0. Returns 0, or -1 with errno set.
int clinux_dated_status(int file, const char *path, struct clinux_dated_status *found);

// Says the same of what a link of the kernel's leads to, such as /proc/PID/exe, from what the kernel holds of it: a file
// system that does not answer is not asked. Returns 0, or -1 with errno set.
int clinux_held_status(const char *link, struct clinux_dated_status *found);

// Says the same of a path, each part of which the kernel holds. Returns 0, or -1 with errno set: EAGAIN where a file system
// would have to be asked, EINVAL or ENOSYS where the kernel cannot look without (before Linux 5.12).
int clinux_cached_status(const char *path, struct clinux_dated_status *found);

// What is in a word of memory that others write, before anything that is read later.
static inline uint32_t clinux_load(const void *word) {
    return __atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE);
}

// Keeps bytes under a name in this user's persistent keyring in the kernel, over what was there.
// Returns 0, or -1 with errno set: ENOSYS, EOPNOTSUPP or EPERM where the system has no such keyring for us.
int clinux_keep_key(const char *name, const void *bytes, size_t count);

// Reads what is kept under a name, up to `capacity` bytes. Returns how many there are, or -1 with errno set: ENOKEY when
// there is nothing.
ssize_t clinux_read_key(const char *name, void *bytes, size_t capacity);

// Drops what is kept under a name. Returns 0, or -1 with errno set.
int clinux_drop_key(const char *name);
#endif

#endif
