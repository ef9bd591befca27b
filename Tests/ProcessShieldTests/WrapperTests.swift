#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// Programs that only start another one: to take one of their values for that program would shut what was not chosen.
@Suite("Wrappers", .timeLimit(.minutes(5)))
struct WrapperTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        for name in ["chess", "mail"] { try scratch.write("program", to: "bin/\(name)", mode: 0o755) }
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
    }

    private func resolution(_ exec: String) throws -> ProgramResolver.Resolution {
        for name in exec.split(separator: " ").map(String.init) where ExecLine.wrappers[name] != nil {
            try scratch.write("program", to: "bin/\(name)", mode: 0o755)
        }
        let escaped = exec.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        try scratch.write("[Desktop Entry]\nName=A\nExec=\(escaped)\n", to: "applications/a.desktop")
        let token = AppToken("a.desktop")
        return try #require(resolver.resolve(ShieldSelection(apps: [token])).apps[token])
    }

    @Test(
        "X-1: what a wrapper starts is told from the values of its options, by the wrapper's own grammar",
        arguments: [
            "env -a mail chess", "env --argv0=mail chess", "env --argv0 mail chess", "env -ia mail chess",
            "env -iu mail chess", "env -vS \"chess\"", "env - chess", "env --ignore-signal chess",
            "env --block-signal=INT chess", "setarch -R chess mail", "setarch x86_64 -R chess mail",
            "setarch x86_64 -RL chess", "setarch --addr-no-randomize chess", "linux32 -R chess",
            "unshare -r --propagation slave chess", "unshare --propagation=slave -m chess",
            "unshare --map-user mail -rmf --kill-child chess", "unshare --setgroups deny -w /opt chess",
            "unshare --mount-proc=/proc -fp chess", "flock --timeout 5 mail chess",
            "flock --wait 5 mail chess", "flock -nE 7 mail chess", "flock -w5 mail chess",
            "setpriv --euid 1000 chess", "setpriv --ruid mail --rgid=mail --clear-groups chess",
            "setpriv --nnp --pdeathsig TERM chess", "taskset -c 0 chess", "taskset -ac 0,2 chess",
            "taskset 0x3 chess", "chrt -b 0 chess", "chrt --idle chess mail", "chrt -f 5 chess",
            "chrt --sched-runtime 5 -d 0 chess", "chrt -T5 -d 0 chess", "nice -5 chess", "nice --5 chess",
            "nice -n5 chess", "nice -n 5 chess", "nice --adjustment=5 chess", "ionice -c2 -n 7 -t chess",
            "ionice --class idle chess", "timeout --foreground -s9 5 chess", "timeout --signal KILL 5s chess",
            "stdbuf -oL --error 0 chess", "setsid -fw chess", "time -f mail chess", "time -po mail chess",
            "prlimit --nofile=5 chess", "prlimit --nofile chess", "prlimit -n5 -c chess",
            "choom -n5 chess", "uclampset -m5 -RM 7 chess", "gamemoderun chess", "mangohud --dlsym chess",
            "prime-run chess", "dbus-run-session --dbus-daemon mail -- chess",
            "dbus-launch --exit-with-session chess", "systemd-inhibit --what idle --why=mail chess",
            "vglrun -d mail +v chess", "pw-jack -r mail chess", "padsp -n mail chess",
            "optirun --bridge mail chess", "fakeroot --lib mail chess", "torsocks -i -a mail chess",
            "proxychains4 -q -f mail chess", "xvfb-run --server-args mail -a chess", "tini -vvg chess",
            "numactl -l -m0 chess", "cpulimit -l50 -i chess", "firejail --net=none --noprofile chess",
            "env A=b gamemoderun mangohud nice -n 3 taskset 3 chess",
        ]
    )
    func resolves(_ exec: String) throws {
        guard case .program(let program) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        #expect(Array(program.files.values) == ["\(scratch.path)/bin/chess"], "\(exec)")
    }

    @Test(
        "X-1: an option that is not known, or with which nothing is started here, makes an entry name no app",
        arguments: [
            "env --color mail chess", "env -z mail", "env -P mail chess", "env -uz -q mail",
            "env --ignore-environment=1 mail", "env --unset %f mail", "env -S \"mail\\\\_-x\"",
            "env -S \"mail \\${A}\"", "env -S \"-z mail\"",
            "setarch --list mail", "unshare --wipe mail", "unshare -R mail chess", "unshare --root=/x mail",
            "unshare --prop slave mail", "flock mail -c chess", "flock --lock mail chess",
            "flock -c mail chess", "setpriv -d mail", "setpriv --list-caps mail", "taskset -p 5 mail",
            "chrt -p 5 mail", "chrt -m mail", "ionice -p 5 mail", "prlimit -p 5 mail", "choom -p 5 -n 3 mail",
            "uclampset -s mail", "nice -x mail", "nohup -x mail", "nohup --mail chess", "setsid -x mail",
            "timeout -x mail chess", "timeout 5 -x mail", "timeout %i mail chess", "stdbuf -x mail chess",
            "time -x mail chess", "prime-run -x mail", "gamemoderun -x mail", "mangohud -x mail",
            "systemd-inhibit --list mail", "firejail --join=a mail", "firejail --chroot=/x mail",
            "firejail -c mail", "cpulimit -p 5 mail", "gosu -x mail chess", "nice -n 5 env -z mail chess",
            "vglrun -vx mail chess", "openvt -z mail chess",
        ]
    )
    func refuses(_ exec: String) throws {
        guard case .refused(let reason) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        let isUntold = reason.hasPrefix("nothing in its entry tells which app")
        #expect(isUntold || reason == ProtectedPrograms.launcherReason, "\(exec): \(reason)")
    }

    @Test("X-1: a wrapper that is not understood hides what a script starts before its last line")
    func scripts() {
        func target(_ line: String) -> String? {
            ScriptTarget.path(in: "#!/bin/sh\n\(line)\nexec /opt/chess\n") { "/usr/bin/\($0)" }
        }
        for line in [
            "nice -x /opt/mail &", "if nice /opt/mail; then A=b; fi", "if env -z /opt/mail; then A=b; fi",
        ] {
            #expect(target(line) == nil, "\(line)")
        }
        for line in [
            "command -v zenity", "if command -v zenity; then A=b; fi", "if nice true; then A=b; fi",
            "nice true",
        ] {
            #expect(target(line) == "/opt/chess", "\(line)")
        }
    }
}
#endif
