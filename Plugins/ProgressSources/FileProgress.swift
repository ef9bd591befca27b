#if os(Linux)
internal import AdapterKit
internal import CLinux
internal import Glibc
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

/// Progress as one number in a file. The file is read at the start, whenever it is written or replaced, and
/// also at regular intervals.
///
/// The number belongs to the date on which the file was written: yesterday's number does not count today.
public final class FileProgress: Sendable {
    /// The largest allowed size of the file in bytes.
    public static let largest = 65_536

    /// The result of the last read.
    private enum Seen: Hashable {
        case value(Double, Duration)
        case trouble(ProgressTrouble)
    }

    private let path: String
    private let every: Duration
    private let date: @Sendable (Duration) async throws -> CivilDate?
    private let thread = WorkerThread()
    private let stopping: Wake
    /// The system's notices about changes in the folder; `nil` if the system refuses to give them. In that
    /// case the file is only read at intervals.
    private let notices: FileNotices?
    private let seen = Mutex<Seen?>(nil)
    /// The watch of the folder; `nil` if there is none.
    private let watched = Mutex<Int32?>(nil)

    /// Makes a source for a file, which need not exist yet.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - every: the longest time between two reads. On some network folders no notices report changes, so
    ///     the file is read after this time anyway.
    ///   - date: returns the date to which the time of a write belongs, by the goal lock's rule for the start
    ///     of a day. The time is counted since 1970-01-01T00:00:00Z. If the closure throws, the source
    ///     reports trouble in place of the number. At the next change or after `every`, the source calls the
    ///     closure again.
    /// - Throws: ``ProgressSourceError`` if the process has no descriptor left.
    public init(
        _ path: String,
        every: Duration,
        date: @escaping @Sendable (Duration) async throws -> CivilDate?
    ) throws(ProgressSourceError) {
        self.path = path
        self.every = every
        self.date = date
        stopping = try .wake()
        notices = try? FileNotices()
    }

    /// The stream of readings. Only one task may read it. Each reading is made only when the task asks for
    /// it, so readings do not pile up. When the task is cancelled, there are no more readings.
    public var readings: AsyncStream<ProgressReading> { stream }

    func next() async -> ProgressReading? {
        let found = await thread.run { [self] () throws(Never) in nextBlocking() }
        switch found {
        case .value(let value, let written):
            do {
                return .value(value, measured: try await date(written))
            } catch {
                let trouble = ProgressTrouble.unknownDate(of: name, error)
                // The source reports only a result that differs from the last one. The trouble is kept as the
                // last result, so the next read reports the number even if it has not changed.
                seen.withLock { $0 = .trouble(trouble) }
                return .trouble(trouble)
            }
        case .trouble(let trouble): return .trouble(trouble)
        case nil: return nil
        }
    }

    func stop() { stopping.raise() }

    private func nextBlocking() -> Seen? {
        var isFirst = seen.withLock { $0 == nil }
        while !stopping.isRaised {
            // The watch starts before the file is read, so that no change is missed in between. The watch is
            // renewed each time, because the folder may have been deleted and made again.
            watch()
            if !isFirst { guard wait() else { return nil } }
            isFirst = false
            let now: Seen
            do throws(ProgressTrouble) { now = try look() } catch { now = .trouble(error) }
            let isNews = seen.withLock { seen in
                defer { seen = now }
                return seen != now
            }
            if isNews { return now }
        }
        return nil
    }

    private func watch() {
        // If the folder cannot be watched, for instance because it does not exist yet, the file is only read
        // at intervals.
        let new = try? notices?.watch(
            path.pathFolder,
            for: [.closedAfterWriting, .movedIn, .movedOut, .removed, .attributes]
        )
        // Another folder may be at the path by now. The changes in the earlier folder no longer matter.
        let old = watched.withLock { watched in
            defer { watched = new }
            return watched
        }
        if let old, old != new { notices?.end(old) }
    }

    /// Waits until a notice about the folder comes, or until the interval is over.
    ///
    /// - Returns: whether to read the file; `false` if the source was stopped.
    private func wait() -> Bool {
        var wait = DescriptorWait()
        wait.add(notices?.descriptor)
        let stopped = wait.add(stopping.descriptor)
        _ = wait.wait(atMost: max(.milliseconds(100), every))
        guard wait[stopped].isEmpty else { return false }
        // All waiting notices are removed, because one read of the file answers all of them.
        while let told = try? notices?.take(), !told.isEmpty {}
        return true
    }

    private func look() throws(ProgressTrouble) -> Seen {
        // A path may lead to a device or a pipe. Opening a device or a pipe may have an effect, so only a
        // regular file is opened.
        let file = unsafe clinux_open_regular(path)
        guard file >= 0 else { throw trouble(errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw trouble(errno) }
        guard status.st_size <= Self.largest else {
            throw ProgressTrouble(reason: .tooLong, message: "\(name) is too long to be one number")
        }
        let written = Duration.seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        guard CivilDay.times.contains(written) else {
            throw ProgressTrouble(
                reason: .impossibleTime,
                message: "\(name) has a time of writing that is in no year of the calendar"
            )
        }
        var bytes = [UInt8](repeating: 0, count: Self.largest)
        var count = 0
        // Some files of the kernel have the size 0, and lose what is read from them. So a file of size 0 is
        // not read.
        if status.st_size > 0 {
            let reading = unsafe bytes.withUnsafeMutableBytes { unsafe Descriptors.read(file, into: $0) }
            if case .bytes(let read) = reading { count = read }
        }
        do throws(ProgressTrouble) {
            // The path may lead to a file that only this process may read, and other users may see the
            // message. So the message quotes nothing.
            return .value(try ProgressNumber.read(bytes[..<count], quoting: false), written)
        } catch {
            throw ProgressTrouble(reason: error.reason, message: "\(name): \(error.message)")
        }
    }

    private var name: String { ForeignText.line(path) }

    private func trouble(_ number: Int32) -> ProgressTrouble {
        if number == EINVAL {
            return ProgressTrouble(reason: .notAFile, message: "\(name) is not an ordinary file")
        }
        let isMissing = number == ENOENT || number == ENOTDIR
        return ProgressTrouble(
            reason: isMissing ? .missing : .unreadable,
            message: "\(name): \(unsafe String(cString: strerror(number)))"
        )
    }
}

extension FileProgress: ProgressSource {}
#endif
