extension ExecLine {
    /// A program that only starts another program. One of the wrapper's arguments is the name of the other
    /// program. The fields describe the words before that name.
    ///
    /// The options come from the programs' manuals. If a command line contains an option that is not listed
    /// here, the started program is unknown: the next word may be the option's value, or the wrapper may
    /// start nothing.
    struct Wrapper: Sendable {
        /// The kind of argument, besides the options, that a wrapper takes before the command.
        enum Operand: Hashable, Sendable {
            case none
            /// A word of any kind, after the options.
            case word
            /// An optional number after the options, or two numbers with a colon between them.
            case number
            /// An optional word before the options.
            case first
        }

        /// Options without a value.
        var flags: Set<String> = []
        /// Options whose value is in the same word or is the next word.
        var valued: Set<String> = []
        /// Options whose value is in the same word and may be left out.
        var optional: Set<String> = []
        /// Options whose value is the folder that the program starts in.
        var folder: Set<String> = []
        /// Options whose value is split into words.
        var split: Set<String> = []
        var operand = Operand.none
        /// Whether `-ab` is one option and not `-a -b`.
        var hasLongOnly = false
        /// Whether a dash and a number are an option, as in `nice -5`.
        var takesNumbers = false
        /// The long options after which the started program is unknown; `nil` if this list is not used.
        ///
        /// The list is for a wrapper that has too many long options for the other fields. Each long option
        /// that is not in the list is removed alone, because its value is never in the next word.
        var others: Set<String>?
    }

    private static let setarch = Wrapper(flags: [
        "-B", "--32bit", "-F", "--fdpic-funcptrs", "-I", "--short-inode", "-L", "--addr-compat-layout", "-R",
        "--addr-no-randomize", "-S", "--whole-seconds", "-T", "--sticky-timeouts", "-X",
        "--read-implies-exec",
        "-Z", "--mmap-page-zero", "-3", "--3gb", "--4gb", "--uname-2.6", "-v", "--verbose",
    ])
    private static let proxychains = Wrapper(flags: ["-q"], valued: ["-f"])

    static let wrappers: [String: Wrapper] = system.merging(others) { first, _ in first }

    /// Wrappers of coreutils, util-linux and similar packages.
    private static let system: [String: Wrapper] = [
        "env": Wrapper(
            flags: ["-", "-i", "--ignore-environment", "-v", "--debug", "--list-signal-handling"],
            valued: ["-u", "--unset", "-a", "--argv0"],
            optional: ["--block-signal", "--default-signal", "--ignore-signal"],
            folder: ["-C", "--chdir"],
            split: ["-S", "--split-string"]
        ),
        "nice": Wrapper(valued: ["-n", "--adjustment"], takesNumbers: true),
        "nohup": Wrapper(),
        "timeout": Wrapper(
            flags: ["-f", "--foreground", "-p", "--preserve-status", "-v", "--verbose"],
            valued: ["-k", "-s", "--kill-after", "--signal"],
            operand: .word
        ),
        "stdbuf": Wrapper(valued: ["-i", "-o", "-e", "--input", "--output", "--error"]),
        "time": Wrapper(
            flags: ["-a", "--append", "-p", "--portability", "-q", "--quiet", "-v", "--verbose"],
            valued: ["-f", "--format", "-o", "--output"]
        ),
        "ionice": Wrapper(
            flags: ["-t", "--ignore"],
            valued: ["-c", "-n", "--class", "--classdata"]
        ),
        "setsid": Wrapper(flags: ["-c", "--ctty", "-f", "--fork", "-w", "--wait"]),
        "taskset": Wrapper(flags: ["-a", "--all-tasks", "-c", "--cpu-list"], operand: .word),
        "chrt": Wrapper(
            flags: [
                "-a", "--all-tasks", "-b", "--batch", "-d", "--deadline", "-e", "--ext", "-f", "--fifo", "-i",
                "--idle", "-o", "--other", "-r", "--rr", "-R", "--reset-on-fork", "-v", "--verbose",
            ],
            valued: ["-T", "--sched-runtime", "-P", "--sched-period", "-D", "--sched-deadline"],
            operand: .number
        ),
        "flock": Wrapper(
            flags: [
                "-s", "--shared", "-x", "-e", "--exclusive", "-n", "--nb", "--nonblock", "--nonblocking",
                "-o",
                "--close", "-F", "--no-fork", "--verbose",
            ],
            valued: ["-w", "--wait", "--timeout", "-E", "--conflict-exit-code"],
            operand: .word
        ),
        "linux32": setarch, "linux64": setarch, "i386": setarch, "x86_64": setarch,
        "setarch": Wrapper(flags: setarch.flags, operand: .first),
        "setpriv": Wrapper(
            flags: [
                "--nnp", "--no-new-privs", "--clear-groups", "--keep-groups", "--init-groups", "--reset-env",
            ],
            valued: [
                "--ruid", "--euid", "--rgid", "--egid", "--reuid", "--regid", "--groups", "--inh-caps",
                "--ambient-caps", "--bounding-set", "--securebits", "--pdeathsig", "--ptracer",
                "--selinux-label", "--apparmor-profile", "--landlock-access", "--landlock-rule",
                "--seccomp-filter",
            ]
        ),
        // Options that change the root are not listed here. With such an option the started program is
        // unknown, because in another root a path leads to another file.
        "unshare": Wrapper(
            flags: [
                "-m", "-u", "-i", "-n", "-p", "-U", "-C", "-T", "-f", "--fork", "-r", "--map-root-user", "-c",
                "--map-current-user", "--map-auto", "--keep-caps", "--forward-signals",
            ],
            valued: [
                "--map-user", "--map-group", "--map-users", "--map-groups", "--propagation", "--setgroups",
                "-S",
                "--setuid", "-G", "--setgid", "--monotonic", "--boottime",
            ],
            optional: [
                "--mount", "--uts", "--ipc", "--net", "--pid", "--user", "--cgroup", "--time", "--kill-child",
                "--mount-proc",
            ],
            folder: ["-w", "--wd"]
        ),
        "prlimit": Wrapper(
            flags: ["--noheadings", "--raw", "--verbose"],
            valued: ["-o", "--output"],
            optional: [
                "-c", "--core", "-d", "--data", "-e", "--nice", "-f", "--fsize", "-i", "--sigpending", "-l",
                "--memlock", "-m", "--rss", "-n", "--nofile", "-q", "--msgqueue", "-r", "--rtprio", "-s",
                "--stack", "-t", "--cpu", "-u", "--nproc", "-v", "--as", "-x", "--locks", "-y", "--rttime",
            ]
        ),
        "choom": Wrapper(valued: ["-n", "--adjust"]),
        "uclampset": Wrapper(
            flags: ["-a", "--all-tasks", "-R", "--reset-on-fork", "-v", "--verbose"],
            valued: ["-m", "-M"]
        ),
        "systemd-inhibit": Wrapper(
            flags: ["--no-pager", "--no-legend", "--no-ask-password"],
            valued: ["--what", "--who", "--why", "--mode"]
        ),
        "dbus-run-session": Wrapper(valued: ["--config-file", "--dbus-daemon"]),
        "dbus-launch": Wrapper(
            flags: [
                "--auto-syntax", "--binary-syntax", "--close-stderr", "--csh-syntax", "--sh-syntax",
                "--exit-with-session", "--exit-with-x11",
            ],
            valued: ["--config-file", "--autolaunch"]
        ),
    ]

    private static let others: [String: Wrapper] = [
        "gamemoderun": Wrapper(), "mangohud": Wrapper(flags: ["--dlsym"]), "prime-run": Wrapper(),
        "catchsegv": Wrapper(), "unbuffer": Wrapper(flags: ["-p"]), "eatmydata": Wrapper(),
        "aoss": Wrapper(), "primusrun": Wrapper(), "catatonit": Wrapper(),
        "fakeroot": Wrapper(
            flags: ["-u", "--unknown-is-real"],
            valued: ["-l", "--lib", "-f", "--faked", "-i", "-s", "-b", "--fd-base"]
        ),
        "xvfb-run": Wrapper(
            flags: ["-a", "--auto-servernum", "-l", "--listen-tcp"],
            valued: [
                "-n", "--server-num", "-s", "--server-args", "-e", "--error-file", "-f", "--auth-file", "-p",
                "--xauth-protocol", "-w", "--wait",
            ]
        ),
        "padsp": Wrapper(flags: ["-M", "-S", "-D", "-d"], valued: ["-s", "-n", "-m"]),
        "pw-jack": Wrapper(flags: ["-v"], valued: ["-r", "-s", "-p"]),
        "optirun": Wrapper(
            flags: ["-v", "--verbose", "-q", "--quiet", "--silent", "--debug", "--no-failsafe", "--no-xorg"],
            valued: [
                "-C", "--config", "-d", "--display", "-l", "--ldpath", "-b", "--bridge", "-c",
                "--vgl-compress",
                "--vgl-options", "--primus-ldpath", "-s", "--socket",
            ]
        ),
        "vglrun": Wrapper(
            flags: [
                "-32", "-64", "-allowindirect", "-el", "+el", "-ge", "-icd", "+icd", "-nodl", "-pr", "+pr",
                "-sp", "+sp", "-sync", "+sync", "-tr", "+tr", "-v", "+v", "-wm", "+wm", "-xcb", "+xcb",
            ],
            valued: [
                "-d", "-c", "-q", "-cl", "-fps", "-gamma", "-ld", "-ms", "-np", "-samp", "-st", "-trans",
            ],
            hasLongOnly: true
        ),
        "torsocks": Wrapper(
            flags: ["-d", "--debug", "-i", "--isolate", "-q", "--quiet"],
            valued: ["-a", "--address", "-p", "--port", "-P", "--pass", "-u", "--user"]
        ),
        "torify": Wrapper(flags: ["-v", "--verbose"]), "proxychains": proxychains,
        "proxychains4": proxychains,
        "schedtool": Wrapper(
            flags: ["-N", "-F", "-R", "-B", "-I", "-D", "-v", "-e"],
            valued: ["-M", "-a", "-p", "-n"]
        ),
        "trickle": Wrapper(flags: ["-s", "-v"], valued: ["-u", "-d", "-w", "-t", "-l", "-n"]),
        "aa-exec": Wrapper(
            flags: ["-d", "--debug", "-i", "--immediate", "-v", "--verbose"],
            valued: ["-p", "--profile", "-n", "--namespace"]
        ),
        "cgexec": Wrapper(flags: ["--sticky"], valued: ["-g"]),
        "pasuspender": Wrapper(valued: ["-s", "--server"]), "strangle": Wrapper(operand: .number),
        "apulse": Wrapper(), "game-performance": Wrapper(), "nvidia-offload": Wrapper(),
        "mullvad-exclude": Wrapper(), "obs-gamecapture": Wrapper(), "obs-vkcapture": Wrapper(),
        "obs-glcapture": Wrapper(), "setuidgid": Wrapper(operand: .word),
        "nocache": Wrapper(valued: ["-n"]),
        // If one of these options is given, the started program is unknown. Some options enter an existing
        // sandbox or another root, where a path leads to another file. Most of the others start no program.
        "firejail": Wrapper(others: [
            "--join", "--join-or-start", "--join-network", "--join-filesystem", "--chroot", "--appimage",
            "--bandwidth", "--get", "--put", "--ls", "--cat", "--list", "--tree", "--top", "--netstats",
            "--shutdown", "--help", "--version",
        ]),
        "numactl": Wrapper(
            flags: ["-a", "--all", "-b", "--balancing", "-l", "--localalloc"],
            valued: [
                "-i", "--interleave", "-w", "--weighted-interleave", "-p", "--preferred", "-P",
                "--preferred-many", "-m", "--membind", "-N", "--cpunodebind", "-C", "--physcpubind",
            ]
        ),
        "tini": Wrapper(flags: ["-s", "-v", "-w", "-g"], valued: ["-p", "-e"]),
        "dumb-init": Wrapper(
            flags: ["-c", "--single-child", "-v", "--verbose"],
            valued: ["-r", "--rewrite"]
        ),
        "gosu": Wrapper(operand: .word), "su-exec": Wrapper(operand: .word),
        "cpulimit": Wrapper(
            flags: [
                "-q", "--quiet", "-k", "--kill", "-r", "--restore", "-v", "--verbose", "-z", "--lazy", "-i",
                "--include-children", "-b", "--background", "-f", "--foreground", "-m", "--monitor-forks",
            ],
            valued: ["-l", "--limit", "-c", "--cpu", "-s", "--signal"]
        ),
        "faketime": Wrapper(
            flags: ["-m", "-f", "--exclude-monotonic"],
            valued: ["-p", "--pid", "--date-prog"],
            operand: .word
        ),
        "daemonize": Wrapper(
            flags: ["-a", "-v"],
            valued: ["-e", "-E", "-o", "-p", "-l", "-u"],
            folder: ["-c"]
        ),
        "openvt": Wrapper(
            flags: [
                "-e", "--exec", "-f", "--force", "-l", "--login", "-s", "--switch", "-u", "--user", "-v",
                "--verbose", "-w", "--wait",
            ],
            valued: ["-c", "--console"]
        ),
    ]

    /// Commands of shells that act as wrappers.
    static let builtins: [String: Wrapper] = [
        "exec": Wrapper(flags: ["-c", "-l"], valued: ["-a"]), "command": Wrapper(flags: ["-p"]),
    ]
}
