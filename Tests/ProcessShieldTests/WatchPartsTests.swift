#if os(Linux)
import Foundation
import Glibc
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

@Suite("What tells of changes and starts", .timeLimit(.minutes(5)))
struct WatchPartsTests {
    /// An event of inotify, as the kernel writes it.
    private func event(_ mask: UInt32, _ name: String = "") -> [UInt8] {
        let text = Array(name.utf8)
        // A name is followed by zeros up to a multiple of sixteen, one at least.
        let padded = text.isEmpty ? [] : text + [UInt8](repeating: 0, count: 16 - text.count % 16)
        return [1, mask, 0, UInt32(padded.count)].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        } + padded
    }

    @Test("X-1: of what changes in a folder only entries, folders and programs that are looked for matter")
    func events() {
        func concern(_ events: [UInt8]...) -> Bool {
            FolderWatch.concern(events.flatMap(\.self)[...], ["chess", "exactly-sixteen."])
        }
        let create = UInt32(IN_CREATE)
        let other = event(create, "other")
        #expect(!concern() && !concern(other) && !concern(other, event(create, "chess.txt"), event(create)))
        for last in [
            event(create, "chess"), event(UInt32(IN_MOVED_TO), "go.desktop"),
            event(create, "exactly-sixteen."),
            event(create | UInt32(IN_ISDIR), "sub"), event(UInt32(IN_IGNORED)), event(UInt32(IN_Q_OVERFLOW)),
        ] {
            #expect(concern(last) && concern(other, last) && concern(other, other, last))
            #expect(concern(last, other))
            #expect(!concern(other, Array(last.prefix(15))), "half an event says nothing")
        }
    }

    @Test("X-1: changes are told of, in folders below and in folders that come later too")
    func folders() async throws {
        let scratch = try Scratch()
        try scratch.write("", to: "here/sub/first.desktop")
        try scratch.write("", to: "bin/mail")
        let notices = Mutex(0)
        let watch = try #require(FolderWatch { notices.withLock { $0 += 1 } })
        defer { watch.end() }
        let folders: Set = ["\(scratch.path)/here", "\(scratch.path)/none/applications"]
        watch.look(at: ["\(scratch.path)/bin/chess"], in: folders)
        /// Whether a change is told of, and then nothing more.
        func isTold(_ change: () throws -> Void) async throws -> Bool {
            notices.withLock { $0 = 0 }
            try change()
            try await BoundedWait.until(every: .milliseconds(5)) { notices.withLock { $0 } > 0 }
            // Real time: that nothing more comes is the point.
            try await Task.sleep(for: .milliseconds(300))
            let told = notices.withLock { $0 }
            try await Task.sleep(for: .milliseconds(300))
            return notices.withLock { $0 } < told + 3
        }
        #expect(try await isTold { try scratch.write("", to: "here/sub/go.desktop") })
        #expect(try await isTold { try scratch.write("", to: "none/x") })
        watch.look(at: ["\(scratch.path)/bin/chess"], in: folders)
        #expect(try await isTold { try scratch.write("", to: "none/applications/x") })
        #expect(try await isTold { try scratch.write("", to: "bin/chess") })
        watch.look(at: ["\(scratch.path)/bin/chess"], in: folders)
        #expect(try await isTold { try scratch.write("new", to: "bin/chess") })
        // The end of a watch is told of, and then nothing is.
        #expect(try await isTold { watch.look(at: [], in: []) })
        notices.withLock { $0 = 0 }
        try scratch.write("", to: "here/later.desktop")
        try await Task.sleep(for: .milliseconds(100))
        #expect(notices.withLock { $0 } == 0)
    }

    @Test(
        "X-1: an opened file is looked after for half a second, and nothing is looked at while all is quiet"
    )
    func openings() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("x", to: "chess")
        let looks = Mutex(0)
        let notices = Mutex<[Int32?]>([])
        let found = Mutex<Int32?>(nil)
        let watch = StartWatch(usesConnector: false) { process in notices.withLock { $0.append(process) } }
        defer { watch.end() }
        watch.look(
            for: StartWatch.Target(
                sight: { _ in .other },
                latest: {
                    looks.withLock { $0 += 1 }
                    return found.withLock(\.self)
                },
                files: [file]
            )
        )
        // Real time, as below: that nothing happens in it is the point.
        try await Task.sleep(for: .milliseconds(1_300))
        #expect(looks.withLock { $0 } == 0 && notices.withLock(\.isEmpty), "there was no reason to look")
        _ = SmallFiles.read(file)
        try await BoundedWait.until(every: .milliseconds(5)) { looks.withLock { $0 } >= 7 }
        try await Task.sleep(for: .milliseconds(1_300))
        #expect(looks.withLock { $0 } == 7)
        #expect(notices.withLock(\.self) == [nil, nil, nil], "the newest first, then all")
        found.withLock { $0 = 7 }
        notices.withLock { $0 = [] }
        _ = SmallFiles.read(file)
        try await BoundedWait.until(every: .milliseconds(5)) { notices.withLock(\.count) >= 7 }
        #expect(notices.withLock(\.self) == [Int32?](repeating: 7, count: 7))
        // A file that is not there cannot tell of its start: then all are looked at now and then.
        watch.look(for: StartWatch.Target(sight: { _ in .other }, latest: { nil }, files: ["\(file)-none"]))
        notices.withLock { $0 = [] }
        try await BoundedWait.until(every: .milliseconds(5)) { !notices.withLock(\.isEmpty) }
    }

    @Test("X-1: a shield that is given up leaves no thread and no descriptor behind")
    func leftovers() async {
        // In a process of its own, in which no other test opens anything.
        await #expect(processExitsWith: .success) {
            func round() async throws {
                for usesConnector in [false, true] {
                    let bench = try ShieldBench(usesConnector: usesConnector, usesGate: true)
                    let chess = try Child(bench.chess, ["60"])
                    try await bench.apply("chess.desktop")
                    #expect(chess.isStopped)
                    _ = await bench.shield.catalogue()
                    _ = StartGate.isAllowed
                    try await bench.shield.clear(bench.daily)
                }
            }
            func left() -> [Int] {
                ["fd", "task"].map { SmallFiles.names(in: "/proc/self/\($0)").count }
            }
            try await round()
            try await Task.sleep(for: .milliseconds(500))
            let before = left()
            for _ in 0..<8 { try await round() }
            try await BoundedWait.until(
                "threads and descriptors to go",
                limit: .seconds(20),
                every: .milliseconds(20)
            ) {
                zip(left(), before).allSatisfy { $0 < $1 + 4 }
            }
        }
    }
}
#endif
