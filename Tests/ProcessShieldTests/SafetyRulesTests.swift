import Testing

@testable import ProcessShield

@Suite("What is never touched", .timeLimit(.minutes(5)))
struct SafetyRulesTests {
    private static let chess = FileID(device: 1, inode: 1, born: 1)
    private let rules = SafetyRules(
        own: 100,
        ancestors: [.init(pid: 90, start: 1), .init(pid: 80, start: 1)],
        users: [1_000]
    )
    private let program = Program(files: [chess: "/usr/bin/chess"], unitID: "chess")

    private func process(_ pid: Int32 = 500, _ path: String? = "/usr/bin/chess", start: UInt64 = 1)
        -> RunningProcess
    {
        RunningProcess(
            identity: .init(pid: pid, start: start),
            parent: 1,
            group: pid,
            session: pid,
            terminal: 0,
            foreground: -1,
            state: "S",
            isKernelThread: false,
            user: 1_000,
            executable: Self.chess,
            executablePath: path,
            controlGroup: "/user.slice/user-1000.slice/app.slice/app-chess-1.scope",
            tableFolder: "/nowhere"
        )
    }

    @Test("X-1: the app itself may be touched")
    func app() { #expect(rules.isTouchable(process(), as: program)) }

    @Test("X-1: an app's process is known by its file or by its path")
    func matches() {
        var other = process(500, "/opt/other")
        #expect(program.matches(other), "another name of the file")
        other.executable = FileID(device: 2, inode: 2, born: 2)
        #expect(!program.matches(other))
        other.executablePath = "/usr/bin/chess"
        #expect(program.matches(other), "its path")
    }

    @Test("X-1: those that started the shield are found by the table, to the first")
    func ancestors() throws {
        let processes = try ProcessFolder()
        for (pid, parent) in [(100, 90), (90, 80), (80, 1), (1, 0), (70, 1)] as [(Int32, Int32)] {
            try processes.write(pid, nil, parent: parent)
        }
        let rules = SafetyRules(own: 100, users: [1_000], in: processes.table)
        #expect(Set(rules.ancestors.map(\.pid)) == [90, 80, 1])
    }

    @Test("X-1: process 1, this process and its ancestors", arguments: [1, 0, 100, 90, 80] as [Int32])
    func numbers(_ pid: Int32) { #expect(!rules.isTouchable(process(pid), as: program)) }

    @Test("X-1: a process that got the number of an ancestor that has ended is none")
    func reusedNumber() {
        let other = process(90, start: 2)
        #expect(rules.isTouchable(other, as: program))
    }

    @Test("X-1: what is left whatever it runs is left before anything that it wrote itself is looked at")
    func first() {
        var kernel = process()
        kernel.isKernelThread = true
        var root = process()
        root.user = 0
        var unseen = process()
        unseen.user = nil
        for other in [kernel, root, unseen, process(1), process(100), process(90)] {
            #expect(rules.refusal(of: other) != nil)
        }
        #expect(rules.refusal(of: process()) == nil && rules.refusal(of: process(500, "/bin/bash")) == nil)
    }

    @Test("X-1: kernel threads, other users' processes, and what cannot be seen")
    func kinds() {
        var kernel = process()
        kernel.isKernelThread = true
        var root = process()
        root.user = 0
        var unseen = process(500, nil)
        #expect(rules.isTouchable(unseen, as: program), "its file is known, and its path is too long")
        var image = program
        image.isImage = true
        #expect(!rules.isTouchable(unseen, as: image))
        for file in [nil, FileID(device: 2, inode: 2, born: 2)] {
            unseen.executable = file
            #expect(!rules.isTouchable(unseen, as: program))
        }
        for other in [kernel, root] { #expect(!rules.isTouchable(other, as: program)) }
        let wide = SafetyRules(own: 100, ancestors: [], users: [0, 1_000])
        #expect(wide.isTouchable(root, as: program), "root's helper may, for users it was told")
        #expect(rules.isTouchable(process(2), as: program), "one after the first is like any other")
    }

    @Test(
        "X-1: the system's units",
        arguments: [
            "/init.scope", "/system.slice/cron.service",
            "/user.slice/user-1000.slice/user@1000.service/session.slice/a",
            "/user.slice/user-1000.slice/user@1000.service/init.scope",
        ]
    )
    func units(_ group: String) {
        var other = process()
        other.controlGroup = group
        #expect(!rules.isTouchable(other, as: program))
    }

    @Test(
        "X-1: shells, terminals, desktops, buses, login, input methods, screen readers, package managers",
        arguments: [
            "/usr/bin/bash", "/bin/dash", "/usr/bin/zsh", "/usr/libexec/gnome-terminal-server",
            "/usr/bin/konsole",
            "/usr/bin/tmux", "/usr/lib/xorg/Xorg", "/usr/bin/Xwayland", "/usr/bin/gnome-shell",
            "/usr/bin/sway",
            "/usr/bin/dbus-daemon", "/usr/bin/dbus-broker", "/usr/lib/polkit-1/polkitd", "/usr/sbin/gdm3",
            "/usr/bin/login", "/usr/lib/systemd/systemd", "/usr/lib/systemd/systemd-logind", "/usr/sbin/sshd",
            "/usr/bin/ibus-daemon", "/usr/libexec/ibus-engine-simple", "/usr/bin/fcitx5", "/usr/bin/orca",
            "/usr/bin/speech-dispatcher", "/usr/bin/apt-get", "/usr/bin/dpkg", "/usr/bin/dnf",
            "/usr/bin/pacman",
            "/usr/bin/sudo", "/usr/bin/python3.11", "/usr/bin/flatpak", "/usr/bin/python3.11-dbg",
            "/usr/bin/perl5.36-x86_64-linux-gnu", "/bin/zsh-5.9", "/bin/ksh93", "/usr/bin/lua5.4",
            "/bin/bash5",
            "/bin/busybox-static", "/nix/bin/.bash-wrapped", "/nix/bin/.kitty-wrapped",
            "/usr/lib/xorg/Xorg.bin",
            "/usr/bin/gnome-terminal.wrapper", "/usr/bin/st-0.8", "/usr/bin/wine-stable",
            "/usr/bin/luajit-2.1.0-beta3",
            "/usr/bin/timeout", "/usr/bin/env", "/usr/bin/coreutils", "/usr/bin/wish8.6",
            "/usr/bin/systemctl",
            "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1", "/lib/libc.so.6", "/lib/ld-2.31.so",
            "/bin/busybox.nosuid", "/bin/busybox-musl", "/bin/busybox-extras", "/bin/busybox.suid",
            "/bin/bash~",
            "/bin/bash.distrib", "/bin/bash.old", "/bin/bash.dpkg-tmp", "/bin/zsh-beta", "/bin/osh",
            "/bin/nushell",
            "/usr/bin/mate-panel", "/usr/bin/lxqt-panel", "/usr/bin/cinnamon-session",
            "/usr/bin/mate-session",
            "/usr/bin/lxqt-session", "/usr/libexec/mate-settings-daemon", "/usr/bin/kded6", "/usr/bin/fvwm3",
            "/usr/bin/muffin", "/usr/bin/kwin", "/usr/bin/nemo-desktop", "/usr/libexec/gsd-media-keys",
            "/usr/bin/slock", "/usr/lib/kscreenlocker_greet", "/usr/sbin/lightdm-gtk-greeter",
            "/usr/bin/cosmic-greeter", "/usr/lib/openssh/sshd-session", "/usr/sbin/dropbear",
            "/usr/bin/lxpolkit",
            "/usr/lib/polkit-mate-authentication-agent-1", "/usr/bin/pinentry", "/usr/bin/pinentry-gtk-2",
            "/usr/bin/dnf5", "/usr/bin/dnf5daemon-server", "/usr/bin/rpm-ostree", "/usr/bin/guix",
            "/usr/bin/kmscon", "/usr/bin/mintty", "/usr/bin/prlimit", "/usr/bin/tini",
            "/usr/bin/qemu-aarch64",
            "/usr/bin/nixGLIntel", "/usr/bin/appimage-run", "/usr/bin/ly", "/usr/lib/gnome-session-service",
            "/usr/bin/nimf", "/usr/bin/wvkbd-mobintl", "/usr/bin/magnus", "/usr/bin/blackbox", "/bin/hush",
            "/usr/bin/tym", "/usr/bin/x-terminal-emulator",
        ]
    )
    func programs(_ path: String) {
        // Also when it is in the app's own unit.
        #expect(!rules.isTouchable(process(500, path), as: program))
    }

    @Test(
        "X-1: names that only look like those are apps",
        arguments: [
            "/opt/shell", "/opt/pythonic", "/opt/stairs", "/opt/node-red", "/opt/X4", "/opt/X-Plane",
            "/opt/st2",
            "/opt/river2", "/opt/foot3", "/opt/4-2", "/opt/.hidden-wrapped", "/opt/-2", "/opt/python3d6x",
            // Where a shell's name only begins a word, an app is known by that name, or a file of another type is.
            "/opt/basher", "/opt/fishing-game", "/opt/dash-qt", "/opt/fish.py", "/opt/rc.jar", "/opt/.bash",
            // As families have them, and not of one.
            "/opt/jam-session", "/opt/control-panel", "/opt/session", "/opt/panel", "/opt/mate-calc",
            "/opt/gnome-panel-editor", "/opt/greeter", "/opt/greeter-cards", "/opt/gsdview", "/opt/polkitten",
            "/opt/pinball", "/opt/dnfgame", "/opt/qemulator", "/opt/sshdrop",
            "/opt/nu4", "/opt/uv2",
        ]
    )
    func lookalikes(_ path: String) { #expect(rules.isTouchable(process(500, path), as: program)) }

    @Test("X-1: a launcher is the app where it runs the app's arguments, and not otherwise")
    func launchers() throws {
        let scratch = try Scratch()
        try scratch.write("flatpak\0run\0org.go.Go\0x\0", to: "500/cmdline")
        try scratch.write("flatpak\0update\0", to: "501/cmdline")
        let launch = Program.Launch(
            launcher: "flatpak",
            path: "/usr/bin/flatpak",
            arguments: ["run", "org.go.Go"]
        )
        let go = Program(launch: launch)
        try scratch.write("fp\0run\0org.go.Go\0", to: "502/cmdline")
        try scratch.write("", to: "503/cmdline")
        for (pid, path, isApp) in [
            (500, "/usr/bin/flatpak", true), (501, "/usr/bin/flatpak", false),
            (502, "/usr/bin/flatpak", true),
            (502, "/opt/flatpak-1", false), (502, "/usr/bin/python3", false), (500, "/usr/bin/python3", true),
            (500, "/opt/other", false), (503, "/usr/bin/flatpak", false),
        ] as [(Int32, String, Bool)] {
            var other = process(pid, path)
            other.executable = nil
            other.controlGroup = "/"
            other.tableFolder = scratch.path
            #expect(go.matches(other) == isApp, "\(pid) \(path)")
            if path.hasSuffix("flatpak") { #expect(rules.isTouchable(other, as: go) == isApp) }
        }
        // The name that its entry has for it is a link's.
        let shell = Program(launch: .init(launcher: "sh", path: "/usr/bin/dash", arguments: ["run"]))
        for (path, isApp) in [("/usr/bin/dash", true), ("/usr/bin/bash", false)] {
            var other = process(502, path)
            other.tableFolder = scratch.path
            #expect(shell.isRun(by: other) == isApp)
        }
    }

    @Test("X-1: what entries call a terminal is left, whatever started it")
    func spared() {
        var chess = program
        chess.spared = ["/opt/odd-terminal"]
        #expect(!rules.isTouchable(process(500, "/opt/odd-terminal"), as: chess))
        #expect(rules.isTouchable(process(500, "/opt/odd"), as: chess))
    }

    @Test("X-1: a process group is stopped as one only where nobody is in it by chance")
    func groups() {
        var child = process(501, "/opt/helper")
        child.parent = 500
        var stranger = process(502, "/opt/other")
        stranger.parent = 1
        var shell = process(503, "/usr/bin/bash")
        shell.parent = 500
        let all = Dictionary(uniqueKeysWithValues: [process(), child, stranger, shell].map { ($0.pid, $0) })
        let targets: [Int32: Program] = [500: program]
        #expect(rules.mayStopGroup([process(), child], targets: targets, in: all))
        #expect(!rules.mayStopGroup([process(), stranger], targets: targets, in: all))
        #expect(!rules.mayStopGroup([process(), shell], targets: targets, in: all))
    }
}
