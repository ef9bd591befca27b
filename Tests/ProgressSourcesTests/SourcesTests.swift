#if os(Linux)
import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import ProgressSources
import Synchronization
import Testing

/// Sources of progress, from outside: what they read, and that they end.
@Suite("Sources of progress (A-3, A-11)", .timeLimit(.minutes(5)))
struct SourcesTests {
    private static let today = CivilDate(year: 2026, month: 11, day: 21)

    /// An account that may not run as root: this one, or the one that every system has for such a case.
    private static let account =
        SystemAccount.current.isRoot ? SystemAccount(named: "nobody") : SystemAccount.current

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "progress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    // MARK: Lines

    @Test("A-11: each line is a reading, and a bad one says which it is")
    func lines() async throws {
        let pipe = Pipe()
        let text = "5\n\n x \n\(String(repeating: "1", count: LineProgress.longest + 1))\n7.5"
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        var values: [Double] = []
        var lines: [Int] = []
        for await reading in try LineProgress(pipe.fileHandleForReading.fileDescriptor).readings {
            switch reading {
            case .value(let value, let date):
                values.append(value)
                #expect(date == nil)
            case .trouble(let trouble):
                #expect(trouble.isOfOneLine)
                if case .line(let number) = trouble.reason { lines.append(number) }
            }
        }
        withExtendedLifetime(pipe) {}
        #expect(values == [5, 7.5] && lines == [3, 4])
    }

    @Test("A-11: readings end with the task that takes them, though the input goes on")
    func cancelledLines() async throws {
        let pipe = Pipe()
        let readings = try LineProgress(pipe.fileHandleForReading.fileDescriptor).readings
        let taking = Task { for await _ in readings {} }
        taking.cancel()
        await taking.value
        try pipe.fileHandleForWriting.close()
    }

    // MARK: Files

    @Test("A-11: a file is read at the start and after each change, and belongs to when it was written")
    func file() async throws {
        let file = folder.appending(path: "steps").path
        let source = try FileProgress(file, every: .seconds(3_600)) { written in
            written > .zero ? Self.today : nil
        }
        var readings = source.readings.makeAsyncIterator()
        guard case .trouble(let missing) = await readings.next() else {
            Issue.record("there is no file")
            return
        }
        #expect(missing.reason == .missing)
        for (text, expected) in [("5\n", 5), ("6", 6)] as [(String, Double)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            #expect(await readings.next() == .value(expected, measured: Self.today))
        }
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        var last = await readings.next()
        // Between the two it may have been missing.
        if case .trouble(let trouble) = last, trouble.reason == .missing { last = await readings.next() }
        guard case .trouble(let folder) = last else {
            Issue.record("a folder holds no number")
            return
        }
        #expect(folder.reason == .notAFile)
    }

    @Test("A-3, A-11: a number whose date cannot be found is trouble, and counts once its date is known")
    func unknownDate() async throws {
        struct Busy: Error {}
        let file = folder.appending(path: "steps").path
        try Data("5".utf8).write(to: URL(fileURLWithPath: file))
        let failures = Mutex(2)
        let source = try FileProgress(file, every: .milliseconds(1)) { _ in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw Busy() }
            return Self.today
        }
        var readings = source.readings.makeAsyncIterator()
        for _ in 0..<2 {
            guard case .trouble(let trouble) = await readings.next() else {
                Issue.record("the number counts for a day that is not known")
                return
            }
            #expect(trouble.reason == .unreadable && trouble.message.contains("Busy"))
        }
        #expect(await readings.next() == .value(5, measured: Self.today))
    }

    @Test("A-11: what is no ordinary file is not opened")
    func namedPipe() async throws {
        let file = folder.appending(path: "steps").path
        try #require(unsafe mkfifo(file, 0o600) == 0)
        // A writer's opening of a pipe ends when a reader opens the pipe.
        let hasReader = Mutex(false)
        let writer = Thread {
            let end = unsafe open(file, O_WRONLY | O_CLOEXEC)
            hasReader.withLock { $0 = true }
            if end >= 0 { close(end) }
        }
        writer.start()
        let source = try FileProgress(file, every: .milliseconds(1)) { _ in Self.today }
        var readings = source.readings.makeAsyncIterator()
        guard case .trouble(let trouble) = await readings.next() else {
            Issue.record("a pipe holds no number")
            return
        }
        #expect(trouble.reason == .notAFile)
        // Real time: the source looks every 100 ms.
        try await Task.sleep(for: .milliseconds(300))
        let hadReader = hasReader.withLock { $0 }
        #expect(!hadReader)
        let reader = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        try await BoundedWait.until("the writer's end") { hasReader.withLock { $0 } }
    }

    @Test(
        "A-11: of a text that is no number nothing is told",
        arguments: ["secret", "1,234", "-123", "1e999"]
    )
    func unquoted(_ text: String) async throws {
        let file = folder.appending(path: "steps").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let source = try FileProgress(file, every: .milliseconds(1)) { _ in Self.today }
        var readings = source.readings.makeAsyncIterator()
        guard case .trouble(let trouble) = await readings.next() else {
            Issue.record("it is a number")
            return
        }
        #expect(trouble.reason == .notANumber)
        // The name of the folder holds digits.
        #expect(!trouble.message.dropFirst(file.count).contains(text))
    }

    /// The number of this process's watches of a folder, as the kernel lists them (proc_pid_fdinfo(5)).
    private static func watches(of folder: String) throws -> Int {
        var status = stat()
        try #require(unsafe stat(folder, &status) == 0)
        let mark = " ino:\(String(status.st_ino, radix: 16)) "
        let infos = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
        // A descriptor of another test may have been closed meanwhile.
        let texts = infos.compactMap { name in
            try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)
        }
        return texts.flatMap { $0.split(separator: "\n") }
            .count { $0.hasPrefix("inotify ") && $0.contains(mark) }
    }

    @Test("A-11: another folder in the place of the file's folder is watched, and the earlier one no more")
    func swappedFolder() async throws {
        let (here, next, former) = ("\(folder.path)/here", "\(folder.path)/next", "\(folder.path)/former")
        for (place, text) in [(here, "5"), (next, "6")] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(place)/steps"))
        }
        let source = try FileProgress("\(here)/steps", every: .milliseconds(1)) { _ in Self.today }
        var readings = source.readings.makeAsyncIterator()
        #expect(await readings.next() == .value(5, measured: Self.today))
        #expect(try Self.watches(of: here) == 1)
        try FileManager.default.moveItem(atPath: here, toPath: former)
        try FileManager.default.moveItem(atPath: next, toPath: here)
        var reading = await readings.next()
        // Between the two it may have been missing.
        if case .trouble = reading { reading = await readings.next() }
        #expect(reading == .value(6, measured: Self.today))
        #expect(try Self.watches(of: here) == 1)
        #expect(try Self.watches(of: former) == 0)
    }

    /// A folder whose files may have any time that 64 bits hold; `nil` if this machine has none. Many file
    /// systems keep fewer bits.
    private static let anyTimeFolder = [FileManager.default.temporaryDirectory.path, "/dev/shm"].first {
        folder in
        let file = "\(folder)/progress-\(UUID().uuidString)"
        defer { unsafe unlink(file) }
        var status = stat()
        guard FileManager.default.createFile(atPath: file, contents: nil), setTime(.max, of: file),
            unsafe stat(file, &status) == 0
        else { return false }
        return status.st_mtim.tv_sec == .max
    }

    private static func setTime(_ seconds: Int, of file: String) -> Bool {
        let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
        return unsafe utimensat(AT_FDCWD, file, [time, time], 0) == 0
    }

    @Test(
        "A-11: a file with a time of no year is trouble, and the next writing makes up for it",
        .enabled(if: anyTimeFolder != nil, "no file here keeps such a time"),
        arguments: [Int.max, .min, 400_000_000_000, -400_000_000_001]
    )
    func impossibleTime(_ seconds: Int) async throws {
        let file = "\(try #require(Self.anyTimeFolder))/progress-\(UUID().uuidString)"
        defer { unsafe unlink(file) }
        try Data("5".utf8).write(to: URL(fileURLWithPath: file))
        try #require(Self.setTime(seconds, of: file))
        let clock = ManualClock()
        let source = try FileProgress(file, every: .seconds(1)) { clock.civilDate(at: $0, dayStart: .zero) }
        var readings = source.readings.makeAsyncIterator()
        guard case .trouble(let trouble) = await readings.next() else {
            Issue.record("it has a date")
            return
        }
        #expect(trouble.reason == .impossibleTime && trouble.message.hasPrefix(file))
        try Data("6".utf8).write(to: URL(fileURLWithPath: file))
        // The file may be read before the number is in it.
        var next = await readings.next()
        if case .trouble(let empty) = next, empty.reason == .notANumber { next = await readings.next() }
        guard case .value(6, let date) = next else {
            Issue.record("\(String(describing: next))")
            return
        }
        #expect(date != nil)
    }

    // MARK: Commands

    private func command(
        _ text: String,
        every: Duration = .seconds(30),
        limit: Duration? = nil,
        clock: any LockClock = ManualClock()
    ) throws -> AsyncStream<ProgressReading> {
        try CommandProgress(
            text,
            of: try #require(Self.account),
            every: every,
            limit: limit,
            environment: ["PATH": "/usr/bin:/bin", "SECRET": "3"],
            clock: clock
        ) { Self.today }.readings
    }

    @Test("A-11: a command is asked at once, and belongs to the date on which it was begun")
    func printed() async throws {
        var readings = try command("echo 42").makeAsyncIterator()
        #expect(await readings.next() == .value(42, measured: Self.today))
    }

    @Test("A-3, A-11: a command is not run for a day that is unknown, and counts once the day is known")
    func unknownDay() async throws {
        struct Busy: Error {}
        let mark = folder.appending(path: "mark").path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let clock = ManualClock()
        let calls = Mutex(0)
        let source = try CommandProgress(
            "echo x >> '\(mark)'; echo 7",
            of: try #require(Self.account),
            every: .seconds(30),
            environment: ["PATH": "/usr/bin:/bin"],
            clock: clock
        ) {
            let call = calls.withLock { count in
                count += 1
                return count
            }
            if call == 1 { throw Busy() }
            return Self.today
        }
        var readings = source.readings.makeAsyncIterator()
        guard case .trouble(let trouble) = await readings.next() else {
            Issue.record("the number counts for a day that is not known")
            return
        }
        #expect(trouble.reason == .unreadable && trouble.message.contains("Busy"))
        #expect(!FileManager.default.fileExists(atPath: mark))
        await clock.advance(by: .seconds(30))
        #expect(await readings.next() == .value(7, measured: Self.today))
    }

    private static let troubles: [(String, ProgressTrouble.Reason)] = [
        ("exit 3", .failed), ("kill -9 $$", .failed), ("echo many", .notANumber), ("true", .notANumber),
        ("yes 1", .tooLong),
    ]

    @Test("A-11: what a command does wrong", arguments: troubles)
    func trouble(_ row: (text: String, reason: ProgressTrouble.Reason)) async throws {
        var readings = try command(row.text).makeAsyncIterator()
        guard case .trouble(let trouble) = await readings.next() else {
            Issue.record("\(row.text) gave a number")
            return
        }
        #expect(trouble.reason == row.reason)
    }

    @Test("A-11: readings end with the task that takes them, and the command with all it has started")
    func cancelledCommand() async throws {
        let mark = folder.appending(path: "mark").path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let readings = try command("sleep 1000 & echo $! > '\(mark)'; sleep 1000")
        let taking = Task { for await _ in readings {} }
        try await BoundedWait.until {
            (try? String(contentsOfFile: mark, encoding: .utf8))?.hasSuffix("\n") == true
        }
        let text = try String(contentsOfFile: mark, encoding: .utf8)
        let started = try #require(Int32(text.dropLast()))
        taking.cancel()
        await taking.value
        try await BoundedWait.until { kill(started, 0) != 0 || Self.isZombie(started) }
    }

    private static func isZombie(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" Z") ?? true
    }

    @Test("A-11: as root no command runs")
    func root() throws {
        let root = try #require(SystemAccount(named: "0"))
        #expect(root.isRoot)
        let error = #expect(throws: ProgressSourceError.self) {
            try CommandProgress(
                "echo 1",
                of: root,
                every: .seconds(1),
                environment: [:],
                clock: ManualClock()
            ) { nil }
        }
        #expect(error?.code == .rootCommand)
    }

    // MARK: Accounts

    @Test("X-1: accounts by name and number")
    func accounts() {
        #expect(SystemAccount.current.id == geteuid() && SystemAccount.current.isCurrent)
        #expect(SystemAccount(named: "root")?.id == 0)
        #expect(SystemAccount(named: "no-such-user") == nil)
        #expect(SystemAccount(named: "4294967295") == nil, "no user has this number")
        let numbered = SystemAccount(named: "4000000000")
        #expect(numbered?.id == 4_000_000_000 && numbered?.isKnown == false && numbered?.home == "/")
    }

    @Test(
        "A-11: the machine's root has every user of the machine",
        arguments: [
            ("         0          0 4294967295\n", true), ("0 65534 1\n", false), ("0 100000 65536\n", false),
            ("0 0 1\n1 100000 65535\n", false), ("", false),
        ]
    )
    func namespaces(map: String, isWhole: Bool) {
        #expect(SystemAccount.isWhole(map: map) == isWhole)
    }
}
#endif
