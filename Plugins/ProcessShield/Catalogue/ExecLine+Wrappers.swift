extension ExecLine {
    /// A program that only starts another one, which its arguments name.
    struct Wrapper: Sendable {
        /// Options that take a value of their own.
        var valued: Set<String> = []
        /// How many words of its own follow the options.
        var operands = 0
        /// Options whose value is the folder to start in.
        var folder: Set<String> = []
        /// Options whose value is split into words.
        var split: Set<String> = []
    }

    static let wrappers: [String: Wrapper] = [
        "env": Wrapper(
            valued: ["-u", "--unset"],
            folder: ["-C", "--chdir"],
            split: ["-S", "--split-string"]
        ),
        "nice": Wrapper(valued: ["-n", "--adjustment"]),
        "ionice": Wrapper(valued: ["-c", "-n", "--class", "--classdata"]),
        "nohup": Wrapper(), "setsid": Wrapper(), "gamemoderun": Wrapper(), "mangohud": Wrapper(),
        "prime-run": Wrapper(), "dbus-run-session": Wrapper(valued: ["--config-file"]),
        "dbus-launch": Wrapper(),
        "timeout": Wrapper(valued: ["-k", "-s", "--kill-after", "--signal"], operands: 1),
        "stdbuf": Wrapper(valued: ["-i", "-o", "-e", "--input", "--output", "--error"]),
        "taskset": Wrapper(operands: 1), "chrt": Wrapper(valued: ["-T", "-P", "-D"], operands: 1),
        "flock": Wrapper(valued: ["-w", "-E"], operands: 1), "linux32": Wrapper(), "linux64": Wrapper(),
        "i386": Wrapper(), "x86_64": Wrapper(), "setarch": Wrapper(operands: 1),
        "setpriv": Wrapper(valued: [
            "--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set",
            "--securebits",
            "--pdeathsig", "--selinux-label", "--apparmor-profile",
        ]),
        "time": Wrapper(valued: ["-f", "-o"]), "catchsegv": Wrapper(),
        "fakeroot": Wrapper(valued: ["-l", "-i", "-s"]), "unbuffer": Wrapper(), "eatmydata": Wrapper(),
        "xvfb-run": Wrapper(valued: ["-n", "-s", "-e", "-f", "-p", "-w"]), "padsp": Wrapper(),
        "aoss": Wrapper(), "pw-jack": Wrapper(valued: ["-p"]), "optirun": Wrapper(valued: ["-b", "-c"]),
        "primusrun": Wrapper(), "vglrun": Wrapper(valued: ["-d", "-c", "-q"]), "torsocks": Wrapper(),
        "torify": Wrapper(), "proxychains": Wrapper(valued: ["-f"]), "proxychains4": Wrapper(valued: ["-f"]),
        "firejail": Wrapper(),
        "unshare": Wrapper(valued: ["-S", "-G", "--setuid", "--setgid", "-R", "-w", "--root", "--wd"]),
        "prlimit": Wrapper(valued: ["-p", "--pid", "-o", "--output"]),
        "choom": Wrapper(valued: ["-n", "--adjust", "-p", "--pid"]),
        "uclampset": Wrapper(valued: ["-m", "-M", "-p", "--util-min", "--util-max", "--pid"]),
        "numactl": Wrapper(valued: [
            "-i", "--interleave", "-w", "--weighted-interleave", "-p", "--preferred", "-P",
            "--preferred-many",
            "-m", "--membind", "-N", "--cpunodebind", "-C", "--physcpubind",
        ]),
        "tini": Wrapper(valued: ["-p", "-e"]), "catatonit": Wrapper(),
        "dumb-init": Wrapper(valued: ["-r", "--rewrite"]), "gosu": Wrapper(operands: 1),
        "su-exec": Wrapper(operands: 1),
        "cpulimit": Wrapper(valued: [
            "-l", "--limit", "-c", "--cpu", "-p", "--pid", "-e", "--exe", "-P", "--path",
        ]),
        "faketime": Wrapper(valued: ["-p", "--pid", "--date-prog"], operands: 1),
        "daemonize": Wrapper(valued: ["-e", "-E", "-o", "-p", "-l", "-u"], folder: ["-c"]),
        "openvt": Wrapper(valued: ["-c", "--console"]),
        "systemd-inhibit": Wrapper(valued: ["--what", "--who", "--why", "--mode"]),
    ]

    /// Shells' own words that do no more than a wrapper.
    static let builtins: [String: Wrapper] = ["exec": Wrapper(valued: ["-a"]), "command": Wrapper()]
}
