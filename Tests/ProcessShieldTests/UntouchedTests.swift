#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    /// Real processes with the names of programs that nobody can do without.
    @Suite("What is never touched, live", .timeLimit(.minutes(5)))
    struct UntouchedTests {
        private static let names = [
            "bash", "zsh", "fish", "xterm", "gnome-terminal-server", "tmux", "sshd",
            "Xorg", "gnome-shell", "kwin_wayland", "sway", "dbus-daemon", "dbus-broker", "polkitd",
            "gdm-session-worker", "sddm", "login", "systemd", "systemd-logind", "ibus-daemon", "ibus-x11",
            "fcitx5",
            "orca", "at-spi-bus-launcher", "brltty", "apt-get", "dpkg", "packagekitd",
        ]

        @Test("X-1: chosen by its path it is refused, and goes on", arguments: names)
        func byPath(_ name: String) async throws {
            let bench = try ShieldBench()
            let path = try bench.scratch.copy("/bin/sleep", to: "sbin/\(name)")
            let link = "\(bench.scratch.path)/sbin/harmless"
            #expect(unsafe symlink(path, link) == 0)
            let process = try Child(path, ["60"])
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply(path, link, "chess.desktop")
            #expect(!process.isStopped && chess.isStopped)
            let later = try Child(path, ["60"])
            try await bench.apply(path, link, "chess.desktop", categories: ["Office"])
            #expect(!process.isStopped && !later.isStopped)
            let coverage = await bench.shield.coverage().apps
            for token in [path, link] {
                guard case .refused = coverage[AppToken(token)] else {
                    Issue.record("\(token) is \(String(describing: coverage[AppToken(token)]))")
                    continue
                }
            }
        }

        @Test("X-1: in the process group of an app it goes on, and the app is stopped beside it")
        func inGroup() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let shell = try Child("\(bench.scratch.path)/bin/bash", ["60"], group: chess.pid)
            let stranger = try Child(bench.mail, ["60"], group: chess.pid)
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped && !shell.isStopped && !stranger.isStopped)
        }

        @Test(
            "X-1: this process, those that started it, the first process and the kernel's are left, whatever is chosen"
        )
        func own() async throws {
            let bench = try ShieldBench()
            let own = try #require(SmallFiles.realPath("/proc/self/exe"))
            let first = SmallFiles.realPath("/proc/1/exe")
            let parent = SmallFiles.realPath("/proc/\(getppid())/exe")
            let tokens = [own, first, parent].compactMap(\.self).filter { $0.hasPrefix("/") }
            // Not applied: other runs of this program are no concern of this test. What would be stopped is looked at.
            let resolver = ProgramResolver(catalogue: bench.configuration.catalogue)
            let selection = ShieldSelection(apps: Set(tokens.map(AppToken.init)))
            let programs = resolver.resolve(selection, policies: [:], default: .freeze).programs
            let found = ProcessStopper(bench.configuration).findings(for: programs).map(\.identity.pid)
            #expect(!found.contains(getpid()) && !found.contains(getppid()) && !found.contains(1))
        }

        @Test("X-1: a signal goes to no group of the number 0 or 1: that is the sender's own, or everybody")
        func numbers() {
            for (number, isOne) in [(-1, false), (0, false), (1, false), (2, true)] as [(Int32, Bool)] {
                #expect(ProcessGroup(number: number, session: 1, leader: nil).hasNumber == isOne)
            }
        }

        @Test("X-1: a record from before there were keepers is understood, and one of a later version is not")
        func records() async throws {
            let bench = try ShieldBench()
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            for (version, isUnderstood) in [(1, true), (2, false)] {
                let text =
                    "{\"version\":\(version),\"boot\":\"another\",\"shields\":{\"daily\":{\"apps\":[],\"categories\":[]}},\"stopped\":[{\"identity\":{\"pid\":7,\"start\":9}}]}"
                _ = try await bench.store.write(
                    SecretBytes(copying: Array(text.utf8)),
                    to: SecretName("state", in: ProcessShield.namespace),
                    accessibility: .afterFirstUnlockThisDeviceOnly,
                    if: .none
                )
                let record = try? await records.read()
                #expect((record != nil) == isUnderstood)
                if isUnderstood { #expect(record?.shields.count == 1 && record?.keepers.isEmpty == true) }
            }
        }
    }
}
#endif
