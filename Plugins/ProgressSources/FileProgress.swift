#if os(Linux)
internal import AdapterKit
internal import CLinux
internal import Glibc
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

/// Progress as one number in a file, read at the start, whenever the file is written or replaced, and every so often
/// besides.
///
/// What the file says belongs to the date on which it was written: yesterday's number earns nothing today.
public final class FileProgress: Sendable {
    /// The largest file in bytes.
    public static let largest = 65_536

    /// What the file was when it was read last.
    private enum Seen: Hashable {
        case value(Double, Duration)
        case trouble(ProgressTrouble)
    }

    private let path: String
    private let every: Duration
    private let date: @Sendable (Duration) async -> CivilDate?
    private let thread = WorkerThread()
    private let stopping: Wake
    /// `nil` where the system gives none: then it is looked at every so often.
    private let notices: FileNotices?
    private let seen = Mutex<Seen?>(nil)

    /// A file that need not be there yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - every: how often to look where nothing tells of changes, as on some network folders.
    ///   - date: the date of a time of writing since 1970-01-01T00:00:00Z, as the goal lock counts days.
    /// - Throws: ``ProgressSourceError`` when the process has no descriptor left.
    public init(
        _ path: String,
        every: Duration,
        date: @escaping @Sendable (Duration) async -> CivilDate?
    ) throws(ProgressSourceError) {
        self.path = path
        self.every = every
        self.date = date
        stopping = try .wake()
        notices = try? FileNotices()
    }

    /// The readings. Each is made when it is asked for, so that nothing piles up; one task takes them. Once that is
    /// cancelled there are no more.
    public var readings: AsyncStream<ProgressReading> { stream }

    func next() async -> ProgressReading? {
        let found = await thread.run { [self] () throws(Never) in nextBlocking() }
        switch found {
        case .value(let value, let written): return .value(value, measured: await date(written))
        case .trouble(let trouble): return .trouble(trouble)
        case nil: return nil
        }
    }

    func stop() { stopping.raise() }

    private func nextBlocking() -> Seen? {
        var isFirst = seen.withLock { $0 == nil }
        while !stopping.isRaised {
            // Before the look, so that no change falls between the two; again each time, for a folder that was made
            // anew.
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

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func watch() {
        // Where it cannot be watched, as before it is made, the file is looked at every so often.
        _ = try? notices?.watch(
            folder,
            for: [.closedAfterWriting, .movedIn, .movedOut, .removed, .attributes]
        )
    }

    /// Waits until something happened in the folder, or for so long.
    ///
    /// - Returns: whether to look, rather than to end.
    private func wait() -> Bool {
        var wait = DescriptorWait()
        wait.add(notices?.descriptor)
        let stopped = wait.add(stopping.descriptor)
        _ = wait.wait(atMost: max(.milliseconds(100), every))
        guard wait[stopped].isEmpty else { return false }
        // Whatever it was, one look tells all.
        while let told = try? notices?.take(), !told.isEmpty {}
        return true
    }

    private func look() throws(ProgressTrouble) -> Seen {
        // Not blocking: opening a pipe would wait for its writer.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw trouble(errno) }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw trouble(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ProgressTrouble(reason: .notAFile, message: "\(name) is not an ordinary file")
        }
        guard status.st_size <= Self.largest else {
            throw ProgressTrouble(reason: .tooLong, message: "\(name) is too long to be one number")
        }
        var bytes = [UInt8](repeating: 0, count: Self.largest)
        let reading = unsafe bytes.withUnsafeMutableBytes { unsafe Descriptors.read(file, into: $0) }
        let count = if case .bytes(let count) = reading { count } else { 0 }
        let written = Duration.seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        do throws(ProgressTrouble) {
            return .value(try ProgressNumber.read(bytes[..<count]), written)
        } catch {
            throw ProgressTrouble(reason: error.reason, message: "\(name): \(error.message)")
        }
    }

    private var name: String { ForeignText.line(path) }

    private func trouble(_ number: Int32) -> ProgressTrouble {
        let isMissing = number == ENOENT || number == ENOTDIR
        return ProgressTrouble(
            reason: isMissing ? .missing : .unreadable,
            message: "\(name): \(unsafe String(cString: strerror(number)))"
        )
    }
}

extension FileProgress: ProgressSource {}
#endif
