#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    /// Programs that come to a chosen path while no file in its folder changes.
    @Suite("Programs that come back another way", .timeLimit(.minutes(5)))
    struct ReturningTests {
        @Test(
            "X-1: a chosen program on a drive that is mounted later, or mounted again, is shut",
            .enabled("this process may not mount a file system") { DriveMount.isAllowed },
            arguments: [false, true]
        )
        func mounted(usesGate: Bool) async throws {
            if usesGate, !StartGate.isAllowed {
                print("skipped: the kernel gives this process no permission events")
                return
            }
            let bench = try ShieldBench(usesGate: usesGate)
            let game = "\(bench.scratch.path)/drive/game"
            // A file in the place of the folder below which the drives are mounted tells nothing of them.
            try bench.scratch.write("", to: "drive/none")
            try await bench.apply(game)
            #expect(await bench.shield.coverage().apps == [AppToken(game): .unresolved])
            for _ in 0..<2 {
                // The looks that follow what was unmounted are over, and the shield has to hear of the next one.
                try await Task.sleep(for: .milliseconds(500))
                let drive = try #require(DriveMount(on: "\(bench.scratch.path)/drive"))
                try bench.scratch.copy("/bin/sleep", to: "drive/game")
                if usesGate {
                    let id = try #require(FileID(path: game))
                    try await BoundedWait.until("the mark", limit: .seconds(20), every: .milliseconds(10)) {
                        await bench.shield.guards?.gatedFiles.contains(id) == true
                    }
                    let refused = #expect(throws: Child.Refused.self) { try Child(game, ["60"]) }
                    #expect(refused?.error == EPERM)
                } else {
                    let child = try Child(game, ["60"])
                    #expect(await child.wait(limit: .seconds(20)) { $0.isStopped } != nil)
                }
                withExtendedLifetime(drive) {}
            }
            try await BoundedWait.until("a shield without the program", every: .milliseconds(10)) {
                await bench.shield.coverage().apps == [AppToken(game): .unresolved]
            }
        }

        @Test(
            "X-1: a file system that is unmounted and mounted again at once keeps no program from the gate",
            .enabled("this process may not mount a file system") { DriveMount.isAllowed }
        )
        func remounted() async throws {
            let bench = try ShieldBench(usesGate: true)
            let (drive, image) = ("\(bench.scratch.path)/drive", "\(bench.scratch.path)/image")
            try bench.scratch.write("", to: "drive/none")
            // The file keeps its number on a device, and so its identity. Memory has no device.
            let setUp = """
                PATH=$PATH:/usr/sbin:/sbin
                truncate -s 8M "$1" && mkfs.ext4 -q "$1" && device=$(losetup -f --show "$1") || exit 3
                echo "$device" >"$1.device"
                mount "$device" "$0" && cp /bin/sleep "$0/game"
                """
            defer {
                let takeOff = "umount -l \"$0\"; losetup -d \"$(cat \"$1.device\")\""
                let child = try? Child("/bin/sh", ["-c", "(\(takeOff)) 2>/dev/null", drive, image])
                _ = child?.collect()
            }
            guard StartGate.isAllowed, try await status("/bin/sh", ["-c", setUp, drive, image]) == 0 else {
                print("skipped: no gate, or no file system on a device can be mounted here")
                return
            }
            try await bench.apply("\(drive)/game")
            #expect(throws: Child.Refused.self) { try Child("\(drive)/game", ["0"]) }
            let id = try #require(FileID(path: "\(drive)/game"))
            let again = """
                until umount "$0"; do sleep 0.05; done
                mount "$(cat "$1.device")" "$0"
                """
            #expect(try await status("/bin/sh", ["-c", again, drive, image]) == 0)
            #expect(FileID(path: "\(drive)/game") == id)
            // A start before the mark is stopped.
            var isRefused = false
            for _ in 0..<400 where !isRefused {
                do {
                    let child = try Child("\(drive)/game", ["0.05"])
                    try await Task.sleep(for: .milliseconds(50))
                    child.end()
                } catch { isRefused = true }
            }
            #expect(isRefused)
            try await bench.shield.clear(bench.daily)
            #expect(try await status("\(drive)/game", ["0"]) == 0)
        }

        /// What a program came to.
        private func status(_ program: String, _ arguments: [String]) async throws -> Int32 {
            let child = try Child(program, arguments)
            _ = await child.wait { $0.state == "Z" }
            return child.collect()
        }

        @Test(
            "X-1: a chosen program behind a link to a folder stays shut when an upgrade switches the link",
            arguments: ["games/current/game", "bin/game"],
            [true, false]
        )
        func switched(place: String, usesConnector: Bool) async throws {
            let bench = try ShieldBench(usesConnector: usesConnector)
            let folder = bench.scratch.path
            let old = try bench.scratch.copy("/bin/sleep", to: "games/v1/game")
            let new = try bench.scratch.copy("/bin/sleep", to: "games/v2/game")
            try bench.scratch.link("games/current", to: "v1")
            try bench.scratch.link("bin/game", to: "../games/current/game")
            try await bench.apply("\(folder)/\(place)")
            let first = try Child(old, ["60"])
            #expect(await first.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            // The looks that follow the start are over.
            try await Task.sleep(for: .milliseconds(700))
            try bench.scratch.link("games/next", to: "v2")
            try #require(unsafe rename("\(folder)/games/next", "\(folder)/games/current") == 0)
            let second = try Child(new, ["60"])
            #expect(await second.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            #expect(first.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!first.isStopped && !second.isStopped)
        }

        @Test("X-1: shields and programs whose names differ in their Unicode form alone are two")
        func unicodeForms() async throws {
            let bench = try ShieldBench(usesConnector: false)
            let names = ["j\u{E9}u", "je\u{301}u"]
            let games = try names.map { try bench.scratch.copy("/bin/sleep", to: "bin/\($0)") }
            for (name, game) in zip(names, games) {
                try await bench.shield.apply(
                    ShieldSelection(apps: [AppToken(game)]),
                    as: ShieldName(name)
                )
            }
            let children = try games.map { try Child($0, ["60"]) }
            for child in children { #expect(await child.wait(limit: .seconds(20)) { $0.isStopped } != nil) }
            // The next controller finds both in the record.
            let next = bench.next()
            #expect(await next.coverage().applied.count == 2)
            try await next.clear(ShieldName(names[0]))
            #expect(await Set(next.coverage().applied.keys) == [ShieldName(names[1])])
            #expect(!children[0].isStopped && children[1].isStopped)
            try await next.clear(ShieldName(names[1]))
            #expect(!children[1].isStopped)
        }
    }
}
#endif
