#if os(Linux)
import AdapterKit
import Foundation
import Glibc
import LinuxSystem
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

@Suite("What tells of changes and starts", .timeLimit(.minutes(5)))
struct WatchPartsTests {
    @Test("X-1: of what changes in a folder only entries, folders and programs that are looked for matter")
    func events() {
        func notice(_ events: FileEvents, _ name: String = "") -> FileNotices.Notice {
            .init(watch: 1, events: events, name: Array(name.utf8))
        }
        func concern(_ notices: FileNotices.Notice...) -> Bool {
            FolderWatch.concern(notices, [Array("chess".utf8)])
        }
        let other = notice(.created, "other")
        #expect(!concern() && !concern(other))
        #expect(!concern(other, notice(.created, "chess.txt"), notice(.created)))
        for last in [
            notice(.created, "chess"), notice(.movedIn, "go.desktop"), notice([.created, .isFolder], "sub"),
            notice(.ignored), notice(.overflow),
        ] {
            #expect(concern(last) && concern(other, last) && concern(other, other, last))
            #expect(concern(last, other))
        }
    }

    @Test(
        "X-1: of starts those are told that may be the program, what an ended one may have become, and losses",
        arguments: [
            ([], false, 9, []), ([2], false, 9, []), ([1, 2, 1], false, 9, [1, 1]), ([3], false, 9, [9]),
            ([3], false, nil, []), ([2], true, 9, [nil]), ([1, 3], true, 9, [nil, 1, 9]),
        ] as [([Int32], Bool, Int32?, [Int32?])]
    )
    func starts(_ row: (starts: [Int32], isTorn: Bool, latest: Int32?, told: [Int32?])) {
        let told = Mutex<[Int32?]>([])
        let latest = row.latest
        let target = StartWatch.Target(
            judge: { [.candidate, .other, .gone][Int($0) - 1] },
            latest: { latest },
            files: []
        )
        StartWatch.tell(of: row.starts[...], isTorn: row.isTorn, target) { process in
            told.withLock { $0.append(process) }
        }
        #expect(told.withLock { $0 } == row.told)
    }

    private func move(_ path: String, to target: String) throws {
        try #require(unsafe rename(path, target) == 0)
    }

    @Test("X-1: changes are due after a pause, and without one after a second")
    func quietPeriod() {
        var period = QuietPeriod()
        #expect(period.left(at: .zero) == nil && !period.isDue(at: .zero), "nothing has changed")
        period.note(at: .milliseconds(5))
        period.note(at: .milliseconds(10))
        #expect(period.left(at: .milliseconds(12)) == .milliseconds(18))
        #expect(!period.isDue(at: .milliseconds(29)) && period.isDue(at: .milliseconds(30)))
        #expect(
            period.left(at: .milliseconds(30)) == nil && !period.isDue(at: .seconds(9)),
            "they are told once"
        )
        var reports: [Int] = []
        for millisecond in 0..<3_500 {
            period.note(at: .milliseconds(millisecond))
            if period.isDue(at: .milliseconds(millisecond)) { reports.append(millisecond) }
        }
        #expect(reports == [1_000, 2_001, 3_002])
    }

    @Test("X-1: changes without a pause are told of all the same")
    func withoutPause() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("", to: "here/go.desktop")
        let notices = Mutex(0)
        let watch = try FolderWatch { notices.withLock { $0 += 1 } }
        defer { watch.end() }
        watch.look(at: [], in: ["\(scratch.path)/here"])
        // Real time: the kernel tells of the changes. A thread of its own leaves no pause of 20 ms.
        let isOver = Mutex(false)
        Thread.detachNewThread {
            while !isOver.withLock(\.self) {
                unsafe utimes(file, nil)
                usleep(500)
            }
        }
        defer { isOver.withLock { $0 = true } }
        try await BoundedWait.until("a notice", limit: .seconds(20), every: .milliseconds(5)) {
            notices.withLock { $0 } > 1
        }
    }

    @Test("X-1: changes are told of, in folders below and in folders that come later too")
    func folders() async throws {
        let scratch = try Scratch()
        try scratch.write("", to: "here/sub/first.desktop")
        try scratch.write("", to: "bin/mail")
        let notices = Mutex(0)
        // Other tests and programs mount file systems meanwhile.
        let watch = try FolderWatch(mounts: nil) { notices.withLock { $0 += 1 } }
        defer { watch.end() }
        let folders = ["\(scratch.path)/here", "\(scratch.path)/none/applications"]
        watch.look(at: ["\(scratch.path)/bin/chess"], in: folders)
        // Real time, as below: that nothing comes is the point.
        try await Task.sleep(for: .milliseconds(100))
        #expect(notices.withLock { $0 } == 0, "nothing has changed")
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
        // As an upgrade does it, and a removal.
        try scratch.write("newer", to: "new/chess")
        #expect(try await isTold { try move("\(scratch.path)/new/chess", to: "\(scratch.path)/bin/chess") })
        #expect(try await isTold { try scratch.remove("bin/chess") })
        // The next folder above a missing one, where a link takes its place; and one in another's place.
        let later = ["\(scratch.path)/here", "\(scratch.path)/link/applications"]
        /// Looks for these from now on, and lets the word of what is watched no more go by.
        func look() async throws {
            watch.look(at: [], in: later)
            try await Task.sleep(for: .milliseconds(300))
        }
        try await look()
        #expect(try await isTold { try scratch.link("link", to: "none") })
        try move("\(scratch.path)/here", to: "\(scratch.path)/away")
        try scratch.write("", to: "here/one.desktop")
        try await look()
        #expect(try await isTold { try scratch.write("", to: "here/two.desktop") })
        // The end of a watch is told of, and then nothing is.
        #expect(try await isTold { watch.look(at: [], in: []) })
        notices.withLock { $0 = 0 }
        try scratch.write("", to: "here/later.desktop")
        try await Task.sleep(for: .milliseconds(100))
        #expect(notices.withLock { $0 } == 0)
    }

    @Test("X-1: the thread of a watch that was ended is over, though no folder changes")
    func endedWatch() async throws {
        weak var kept: FolderWatch?
        do {
            let watch = try FolderWatch {}
            kept = watch
            watch.end()
        }
        // The thread holds the watch as long as it runs.
        try await BoundedWait.until(every: .milliseconds(5)) { kept == nil }
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
        let idleNotices = Mutex(0)
        let idle = StartWatch(usesConnector: false) { _ in idleNotices.withLock { $0 += 1 } }
        defer { idle.end() }
        watch.look(
            for: StartWatch.Target(
                judge: { _ in .other },
                latest: {
                    looks.withLock { $0 += 1 }
                    return found.withLock(\.self)
                },
                files: [ExactPath(file)]
            )
        )
        // Real time, as below: that nothing happens in it is the point.
        try await Task.sleep(for: .milliseconds(1_300))
        #expect(looks.withLock { $0 } == 0 && notices.withLock(\.isEmpty), "there was no reason to look")
        #expect(idleNotices.withLock { $0 } == 0, "nothing is looked for")
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
        // What is looked for no more is not looked after.
        watch.look(for: nil)
        // The end of what was watched is an event as well.
        try await BoundedWait.until(every: .milliseconds(5)) { notices.withLock(\.count) >= 10 }
        notices.withLock { $0 = [] }
        _ = SmallFiles.read(file)
        try await Task.sleep(for: .milliseconds(600))
        #expect(notices.withLock { $0.isEmpty })
        // A file that is not there cannot tell of its start: then all are looked at now and then.
        watch.look(for: StartWatch.Target(judge: { _ in .other }, latest: { nil }, files: ["\(file)-none"]))
        notices.withLock { $0 = [] }
        try await BoundedWait.until(every: .milliseconds(5)) { !notices.withLock(\.isEmpty) }
    }

    @Test(
        "X-1: without the connector, all are looked at now and then for an app that opens no known file",
        arguments: ["snap", "AppImage", "launch"]
    )
    func unseenStarts(of app: String) async throws {
        let bench = try ShieldBench(usesConnector: false)
        let file = try #require(FileID(path: bench.chess))
        let launch = Program.Launch(launcher: "chess", path: bench.chess, arguments: ["run", "game"])
        let programs: [String: Program] = [
            "snap": Program(unitID: "chess_chess"),
            "AppImage": Program(files: [file: bench.chess], isImage: true),
            "launch": Program(unitID: "chess", launch: launch),
        ]
        let program = try #require(programs[app])
        let looks = Mutex(0)
        let guards = await Guards(bench.configuration, on: WorkerThread()) { event in
            if case .mayHaveStartedUnseen = event { looks.withLock { $0 += 1 } }
        }
        defer { guards.end() }
        await guards.look(
            for: [program],
            gating: [],
            awaiting: [],
            in: [],
            with: ProcessStopper(bench.configuration)
        )
        // Real time: the watch's thread wakes once a second, though no file is opened.
        try await BoundedWait.until("two looks", limit: .seconds(20), every: .milliseconds(5)) {
            looks.withLock { $0 } > 1
        }
        // The file has to stay: while it cannot be watched, another event comes.
        withExtendedLifetime(bench) {}
    }

    @Test(
        "X-1: all are looked at now and then, though a watched file is opened all the time",
        arguments: [false, true]
    )
    func openedAllTheTime(mayStartUnseen: Bool) async throws {
        let scratch = try Scratch()
        let file = try scratch.write("x", to: "chess")
        let looks = Mutex(0)
        // A tick does not count: the file may have been replaced meanwhile.
        let watch = StartWatch(usesConnector: false) { _ in looks.withLock { $0 += 1 } }
        defer { watch.end() }
        watch.look(
            for: StartWatch.Target(
                judge: { _ in .other },
                latest: {
                    // Each search is followed by another opening, so the searches always begin anew.
                    _ = SmallFiles.read(file)
                    usleep(1_000)
                    return nil
                },
                files: [ExactPath(file)],
                mayStartUnseen: mayStartUnseen
            )
        )
        _ = SmallFiles.read(file)
        // Real time: the watch's thread has all processes examined once a second.
        try await BoundedWait.until("two looks", limit: .seconds(20), every: .milliseconds(5)) {
            looks.withLock { $0 } > 1
        }
        // The removal of the file would end the openings.
        withExtendedLifetime(scratch) {}
    }

    @Test("X-1: a watched file that is moved away is a reason to look")
    func movedFile() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("x", to: "chess")
        let looks = Mutex(0)
        let watch = StartWatch(usesConnector: false) { _ in looks.withLock { $0 += 1 } }
        defer { watch.end() }
        watch.look(
            for: StartWatch.Target(judge: { _ in .other }, latest: { nil }, files: [ExactPath(file)])
        )
        try move(file, to: "\(file)-moved")
        try await BoundedWait.until("a look", every: .milliseconds(5)) { looks.withLock { $0 } > 0 }
        // The removal of the file would be a reason to look too.
        withExtendedLifetime(scratch) {}
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
                    let group = try bench.scratch.write("0", to: "group/cgroup.freeze")
                    ControlGroups(folder: bench.scratch.path).setFrozen(true, "/group")
                    #expect(SmallFiles.read(group) == Array("1".utf8))
                    let mail = try Child(bench.mail, ["60"])
                    let program = Program(files: [try #require(FileID(path: bench.mail)): bench.mail])
                    ProcessStopper(bench.configuration).terminate([program], limit: 60_000)
                    #expect(mail.state == "Z")
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
