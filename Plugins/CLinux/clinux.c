#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <sys/fanotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#elif defined(__APPLE__)
#include <sys/ptrace.h>
#endif

int clinux_open_pseudo_terminal(char *slave_path, size_t capacity) {
#if defined(__linux__)
    // O_CLOEXEC is set from the start, since another thread may start a process at any time.
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
#else
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master >= 0) fcntl(master, F_SETFD, FD_CLOEXEC);
#endif
    if (master < 0) return -1;
    // `ptsname` is not used, because all threads share its result. `ptsname_r` returns the error, on Darwin -1
    // with `errno`.
    int error = grantpt(master) != 0 || unlockpt(master) != 0 ? errno : ptsname_r(master, slave_path, capacity);
    if (error != 0) {
        if (error == -1) error = errno;
        close(master);
        errno = error;
        return -1;
    }
    return master;
}

int clinux_spawn_on_terminal(
    pid_t *pid, const char *slave_path, int input, const char *program, char *const arguments[],
    char *const environment[]
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);

    // The first terminal that a session leader opens becomes its controlling terminal on Linux. Darwin has the
    // same rule for posix_spawn with POSIX_SPAWN_SETSID since macOS 10.15.
    posix_spawn_file_actions_addopen(&actions, 0, slave_path, O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);
    if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, 0);

    sigset_t all, none;
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    posix_spawnattr_setflags(&attributes, flags);

    int result = posix_spawnp(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

enum { watch_limit = 64, signal_limit = 64 };

// The handler reads these on any thread, so each field is one atomic word.
static struct {
    _Atomic int descriptor;
    _Atomic uint64_t noted;
} watches[watch_limit];
static _Atomic int running_handlers;

// `watch_mutex` protects the following: the signals that each watch has taken, and each signal's handling before the
// first one.
static pthread_mutex_t watch_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool is_used;
    bool spares_handled;
    uint64_t taken;
} holders[watch_limit];
static struct sigaction earlier[signal_limit + 1];

static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static void note_signal(int signal) {
    int error = errno;
    unsigned char number = (unsigned char)signal;
    atomic_fetch_add(&running_handlers, 1);
    for (int index = 0; index < watch_limit; index++) {
        // A full pipe already contains this signal's number many times, so a byte that is not written loses no signal.
        if (atomic_load(&watches[index].noted) & bit(signal)) {
            ssize_t written = write(atomic_load(&watches[index].descriptor), &number, 1);
            (void)written;
        }
    }
    atomic_fetch_sub(&running_handlers, 1);
    errno = error;
}

// Returns whether a watch may take a signal, and sets whether another watch has taken it.
static bool may_take(int number, int sparing, bool *is_held) {
    bool is_handled = false;
    *is_held = false;
    for (int index = 0; index < watch_limit; index++) {
        if (!holders[index].is_used || !(holders[index].taken & bit(number))) continue;
        *is_held = true;
        if (!holders[index].spares_handled) is_handled = true;
    }
    struct sigaction action = earlier[number];
    if (!*is_held && sigaction(number, NULL, &action) != 0) return false;
    bool is_own = (action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
    if (sparing >= CLINUX_SPARES_IGNORED && !is_own && action.sa_handler == SIG_IGN) return false;
    return !(sparing == CLINUX_SPARES_HANDLED && (is_handled || is_own));
}

int clinux_watch_signals(int descriptor, uint64_t taken, uint64_t noted, int sparing) {
    pthread_mutex_lock(&watch_mutex);
    int watch = 0;
    while (watch < watch_limit && holders[watch].is_used) watch++;
    if (watch == watch_limit) {
        pthread_mutex_unlock(&watch_mutex);
        errno = EAGAIN;
        return -1;
    }
    uint64_t all = 0, fresh = 0;
    for (int number = 1; number <= signal_limit; number++) {
        bool is_held;
        if (!(taken & bit(number)) || !may_take(number, sparing, &is_held)) continue;
        all |= bit(number);
        if (!is_held) fresh |= bit(number);
    }
    holders[watch].is_used = true;
    holders[watch].spares_handled = sparing == CLINUX_SPARES_HANDLED;
    holders[watch].taken = all;
    // The fields are set before the handler can run for this watch.
    atomic_store(&watches[watch].descriptor, descriptor);
    atomic_store(&watches[watch].noted, all & noted);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int number = 1; number <= signal_limit; number++) {
        if (fresh & bit(number)) sigaction(number, &action, &earlier[number]);
    }
    pthread_mutex_unlock(&watch_mutex);
    return watch;
}

uint64_t clinux_unwatch_signals(int watch) {
    pthread_mutex_lock(&watch_mutex);
    uint64_t restored = holders[watch].taken;
    holders[watch].is_used = false;
    for (int index = 0; index < watch_limit; index++) {
        if (holders[index].is_used) restored &= ~holders[index].taken;
    }
    for (int number = 1; number <= signal_limit; number++) {
        if (restored & bit(number)) sigaction(number, &earlier[number], NULL);
    }
    atomic_store(&watches[watch].noted, 0);
    // A handler that still runs on another thread must not write to a new file with the same descriptor number.
    while (atomic_load(&running_handlers) > 0) sched_yield();
    pthread_mutex_unlock(&watch_mutex);
    return restored;
}

// Stops this process by the default effect of a signal, whose earlier handling is then restored. If `stops_group` is
// true, the rest of the process group gets the signal, too. The caller holds `watch_mutex`.
static void stop_by(int number, bool stops_group) {
    struct sigaction stopping, watching;
    memset(&stopping, 0, sizeof stopping);
    stopping.sa_handler = SIG_DFL;
    sigemptyset(&stopping.sa_mask);
    if (sigaction(number, &stopping, &watching) != 0) return;
    sigset_t stop, blocked;
    sigemptyset(&stop);
    sigaddset(&stop, number);
    // Another process of the group may continue this one as soon as it has the signal itself, as `sudo` does. So the
    // stop of this process is pending before that. SIGCONT drops every pending stop. So this process stops once, or not
    // at all if it was continued first.
    pthread_sigmask(SIG_BLOCK, &stop, &blocked);
    // The signal goes to this thread. If it went to the process, another thread could take it while this one runs on for
    // a moment.
    raise(number);
    if (stops_group) kill(0, number);
    // The threads of libdispatch block stop signals, so the earlier mask may not let the signal in.
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigaction(number, &watching, NULL);
}

void clinux_stop_process(void) {
    pthread_mutex_lock(&watch_mutex);
    stop_by(SIGTSTP, false);
    pthread_mutex_unlock(&watch_mutex);
}

void clinux_stop_job(void) {
    pthread_mutex_lock(&watch_mutex);
    struct sigaction present;
    bool is_ignored = sigaction(SIGTTIN, NULL, &present) != 0 || present.sa_handler == SIG_IGN;
    if (!is_ignored) stop_by(SIGTTIN, true);
    pthread_mutex_unlock(&watch_mutex);
}

int clinux_peer_user(int socket, uid_t *user) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.uid;
    return 0;
#else
    gid_t group;
    return getpeereid(socket, user, &group);
#endif
}

int clinux_deny_tracing(void) {
#if defined(__linux__)
    return prctl(PR_SET_DUMPABLE, 0);
#elif defined(__APPLE__)
    return ptrace(PT_DENY_ATTACH, 0, 0, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#if defined(__linux__)
int clinux_status(int file, const char *path, struct clinux_status *status) {
    struct statx found;
    int flags = AT_NO_AUTOMOUNT | (path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);
    unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_INO | STATX_SIZE;
    if (statx(path ? AT_FDCWD : file, path ? path : "", flags, wanted, &found) != 0) return -1;
    *status = (struct clinux_status){
        .device = makedev(found.stx_dev_major, found.stx_dev_minor),
        .inode = found.stx_ino,
        .links = found.stx_nlink,
        .size = found.stx_size,
        .owner = found.stx_uid,
        .mode = found.stx_mode,
    };
    return 0;
}

static int dated_status(int file, const char *path, int sync, struct clinux_dated_status *found) {
    struct statx full;
    int flags = AT_NO_AUTOMOUNT | sync | (path ? 0 : AT_EMPTY_PATH);
    unsigned wanted = STATX_TYPE | STATX_MODE | STATX_INO | STATX_NLINK | STATX_SIZE | STATX_CTIME | STATX_BTIME;
    if (statx(path ? AT_FDCWD : file, path ? path : "", flags, wanted, &full) == 0) {
        *found = (struct clinux_dated_status){
            .device = makedev(full.stx_dev_major, full.stx_dev_minor),
            .inode = full.stx_ino,
            .size = full.stx_size,
            .mode = full.stx_mode,
            .links = full.stx_nlink,
            .changed = {full.stx_ctime.tv_sec, full.stx_ctime.tv_nsec},
        };
        if (full.stx_mask & STATX_BTIME)
            found->born = (struct timespec){full.stx_btime.tv_sec, full.stx_btime.tv_nsec};
        return 0;
    }
    // A sandbox that is older than statx(2) may refuse the call.
    if (errno != EPERM && errno != ENOSYS) return -1;
    struct stat plain;
    if ((path ? stat(path, &plain) : fstat(file, &plain)) != 0) return -1;
    *found = (struct clinux_dated_status){
        .device = plain.st_dev,
        .inode = plain.st_ino,
        .size = plain.st_size,
        .mode = plain.st_mode,
        .links = plain.st_nlink,
        .changed = plain.st_ctim,
    };
    return 0;
}

int clinux_dated_status(int file, const char *path, struct clinux_dated_status *found) {
    return dated_status(file, path, AT_STATX_SYNC_AS_STAT, found);
}

int clinux_held_status(const char *link, struct clinux_dated_status *found) {
    return dated_status(-1, link, AT_STATX_DONT_SYNC, found);
}

// Headers from before Linux 5.6 lack this number.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int clinux_cached_status(const char *path, struct clinux_dated_status *found) {
    // This is struct open_how with RESOLVE_CACHED. Both are spelled out, because older headers lack them.
    struct { uint64_t flags, mode, resolve; } how = {.flags = O_PATH | O_CLOEXEC, .resolve = 0x20};
    int file = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (file < 0) return -1;
    int result = dated_status(file, NULL, AT_STATX_DONT_SYNC, found);
    int error = errno;
    close(file);
    errno = error;
    return result;
}

// The calls are made by number, because the C library has them only since glibc 2.36.
int clinux_open_process(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_signal_process(int process, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, process, signal, NULL, 0);
}

// The kernel's envelope ends with content of variable size. The struct below places that content after the envelope.
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"

// A message of the process connector in its form on the socket.
struct connector_message {
    struct nlmsghdr header;
    struct cn_msg envelope;
    struct proc_event event;
} __attribute__((packed, aligned(4)));

static int listen_to_connector(int starts) {
    struct {
        struct nlmsghdr header;
        struct cn_msg envelope;
        enum proc_cn_mcast_op operation;
    } __attribute__((packed, aligned(4))) message;
    memset(&message, 0, sizeof message);
    message.header.nlmsg_len = sizeof message;
    message.header.nlmsg_type = NLMSG_DONE;
    message.envelope.id.idx = CN_IDX_PROC;
    message.envelope.id.val = CN_VAL_PROC;
    message.envelope.len = sizeof message.operation;
    message.operation = PROC_CN_MCAST_LISTEN;
    return send(starts, &message, sizeof message, 0) == (ssize_t)sizeof message ? 0 : -1;
}

// Whether the connector reports a child of this process by the child's number here. In another process or network
// namespace it does not.
static int connector_tells(int starts) {
    pid_t child = vfork();
    if (child == 0) _exit(0);
    if (child < 0) return 0;
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    // A working connector has sent the report by now. The limits are generous for machines under load.
    for (int round = 0; round < 1000; round++) {
        struct pollfd wait = {starts, POLLIN, 0};
        if (poll(&wait, 1, 100) <= 0) return 0;
        struct connector_message message;
        ssize_t size = recv(starts, &message, sizeof message, MSG_DONTWAIT);
        if (size < (ssize_t)offsetof(struct connector_message, event.event_data)) continue;
        if (message.event.what == PROC_EVENT_FORK && message.event.event_data.fork.child_tgid == child) return 1;
    }
    return 0;
}

int clinux_open_starts(void) {
    int starts = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
    if (starts < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    if (bind(starts, (struct sockaddr *)&address, sizeof address) == 0 && listen_to_connector(starts) == 0) {
        if (connector_tells(starts)) {
            // The filter passes only starts of programs. Forks and exits are more frequent, and each would wake
            // the thread.
            struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct connector_message, event.what)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap32(PROC_EVENT_EXEC), 0, 1),
                BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
                BPF_STMT(BPF_RET | BPF_K, 0),
            };
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            code[1].k = PROC_EVENT_EXEC;
#endif
            struct sock_fprog filter = {sizeof code / sizeof code[0], code};
            if (setsockopt(starts, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0) return starts;
        } else {
            errno = ENOTSUP;
        }
    }
    int error = errno;
    close(starts);
    errno = error;
    return -1;
}

int clinux_read_starts(int starts, pid_t *processes, int capacity) {
    enum { batch = 32 };
    struct connector_message messages[batch];
    struct sockaddr_nl senders[batch];
    struct iovec parts[batch];
    struct mmsghdr heads[batch];
    memset(heads, 0, sizeof heads);
    for (int index = 0; index < batch; index++) {
        parts[index] = (struct iovec){&messages[index], sizeof messages[index]};
        heads[index].msg_hdr.msg_iov = &parts[index];
        heads[index].msg_hdr.msg_iovlen = 1;
        heads[index].msg_hdr.msg_name = &senders[index];
        heads[index].msg_hdr.msg_namelen = sizeof senders[index];
    }
    // One call reads all waiting messages, since every start of a program on the machine causes one.
    int received;
    do {
        received = recvmmsg(starts, heads, capacity < batch ? (unsigned)capacity : batch, MSG_DONTWAIT, NULL);
    } while (received < 0 && errno == EINTR);
    int count = 0;
    for (int index = 0; index < received; index++) {
        // Only messages from the kernel count.
        size_t least = offsetof(struct connector_message, event.event_data);
        if (senders[index].nl_pid != 0 || heads[index].msg_len < least) continue;
        if (messages[index].event.what != PROC_EVENT_EXEC) continue;
        processes[count++] = messages[index].event.event_data.exec.process_tgid;
    }
    return received < 0 ? -1 : count;
}

int clinux_has_capabilities(const char *path) {
    return getxattr(path, "security.capability", NULL, 0) >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

int clinux_open_regular(const char *path) {
    // O_PATH gives a descriptor of the place without opening the file.
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return -1;
    int file = -1;
    struct stat status;
    if (fstat(place, &status) == 0) {
        if (S_ISREG(status.st_mode)) {
            char name[40];
            snprintf(name, sizeof name, "/proc/self/fd/%d", place);
            file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        } else {
            errno = EINVAL;
        }
    }
    int error = errno;
    close(place);
    errno = error;
    return file;
}

static const uint64_t gate_events = FAN_OPEN_PERM | FAN_OPEN_EXEC_PERM;

int clinux_open_gate(void) {
    // If the queue of questions had a limit and were full, the kernel would allow each further opening without a question.
    unsigned flags = FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE;
    return fanotify_init(flags, O_RDONLY | O_CLOEXEC | O_LARGEFILE);
}

// The path names the calling thread's table of descriptors, which may differ from the process's. A descriptor from O_PATH
// cannot be passed to fanotify_mark(2) directly.
static int mark_held(int gate, unsigned flags, int file) {
    char path[48];
    snprintf(path, sizeof path, "/proc/thread-self/fd/%d", file);
    return fanotify_mark(gate, flags, gate_events, AT_FDCWD, path);
}

int clinux_hold_file(const char *path) { return open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW); }

int clinux_gate_file(int gate, int file) { return mark_held(gate, FAN_MARK_ADD, file); }

int clinux_ungate_file(int gate, int file) { return mark_held(gate, FAN_MARK_REMOVE, file); }

static int is_kept_out(const struct fanotify_event_metadata *event, pid_t own, const uid_t *users, int count) {
    if (event->pid == own) return 0;
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", event->pid);
    // A process that has ended needs no answer.
    if (stat(path, &status) != 0) return 0;
    int is_named = 0;
    for (int index = 0; index < count; index++) is_named |= users[index] == status.st_uid;
    if (!is_named) return 0;
    // Another process of the same program and user may read a shielded file but never start it. Several shields have
    // to read files behind each other's gates. Such a process could also end this one, so the exception gives it no
    // new power. The other version of an upgraded program is another file, and gets no exception.
    if (event->mask & FAN_OPEN_EXEC_PERM || status.st_uid != geteuid()) return 1;
    struct stat program, ours;
    snprintf(path, sizeof path, "/proc/%d/exe", event->pid);
    if (stat(path, &program) != 0 || stat("/proc/self/exe", &ours) != 0) return 1;
    return program.st_dev != ours.st_dev || program.st_ino != ours.st_ino;
}

// Answers all waiting questions; returns -1 when the gate is closed.
static int answer_questions(int gate, int denials, pid_t own, const uid_t *users, int count) {
    _Alignas(struct fanotify_event_metadata) char buffer[4096];
    ssize_t size = read(gate, buffer, sizeof buffer);
    // If no descriptor of the file can be opened for this process (all may be in use), the kernel denies by itself.
    if (size < 0) return errno == EBADF || errno == EINVAL ? -1 : 0;
    struct fanotify_event_metadata *event = (struct fanotify_event_metadata *)buffer;
    for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
        if (event->fd < 0) continue;
        int is_denied = is_kept_out(event, own, users, count);
        struct fanotify_response answer = {event->fd, is_denied ? FAN_DENY : FAN_ALLOW};
        ssize_t written = write(gate, &answer, sizeof answer);
        (void)written;
        // Identifying the file can be slow, so the reader of `denials` does that. Opening a file to execute it asks two
        // questions, one for the execution and one for the opening. After a denial the second one is not asked.
        struct clinux_denial denial = {event->pid, event->fd};
        // A process that starts programs in a loop must not fill all descriptors with denials that were not read yet.
        if (!is_denied || event->fd > 256 || write(denials, &denial, sizeof denial) != (ssize_t)sizeof denial) close(event->fd);
    }
    return 0;
}

void clinux_run_gate(int gate, int end, int denials, pid_t own, const uid_t *users, int count) {
    for (;;) {
        struct pollfd waits[2] = {{gate, POLLIN, 0}, {end, POLLIN, 0}};
        if (poll(waits, 2, -1) < 0 && errno != EINTR) return;
        if (waits[1].revents != 0) break;
        if (answer_questions(gate, denials, own, users, count) != 0) return;
    }
    // No new question comes after this. Waiting questions are still answered, since a child of this process may wait
    // for one.
    fanotify_mark(gate, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
    struct pollfd wait = {gate, POLLIN, 0};
    while (poll(&wait, 1, 50) > 0) {
        if (answer_questions(gate, denials, own, users, 0) != 0) return;
    }
}

int clinux_ungate_all(int gate) {
    return fanotify_mark(gate, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
}

int clinux_seclude_descriptors(void) {
#ifdef SYS_close_range
    // The flag is CLOSE_RANGE_UNSHARE. With it the new table never contains a descriptor of the shared one.
    if (syscall(SYS_close_range, 0u, ~0u, 1u << 1) == 0) return 0;
#endif
    if (unshare(CLONE_FILES) != 0) return -1;
    long most = sysconf(_SC_OPEN_MAX);
    for (int descriptor = 0; descriptor < (most > 0 ? most : 65536); descriptor++) close(descriptor);
    return 0;
}
#endif
