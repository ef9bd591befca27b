#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization

/// The names in folders of commands that may be links to protected programs, as each version of a folder has them.
///
/// A folder of commands has some hundred links, and a few of such a name: to read all names and compare them takes longer than
/// the rest of a look. Where a link leads is not remembered: what changes that need not change the folder.
final class ProtectedLinks: Sendable {
    struct Name: Hashable, Sendable {
        let name: String
        let reason: String
    }

    private struct Known {
        var version: FileStatus.Version
        var names: [Name]
    }

    private let known = Mutex<[FileID: Known]>([:])
    private let counted = Mutex(0)
    private let now: @Sendable () -> Int64

    /// How many folders were read so far.
    var count: Int { counted.withLock { $0 } }

    /// How many folders are remembered: a search path has a few.
    private static let most = 64

    /// How old a folder's last change has to be, in nanoseconds: file systems count time in steps, and a change that follows the
    /// reading in the same step leaves the version as it is.
    static let settled: Int64 = 2_000_000_000

    /// - Parameter now: the time of the system's clock, in nanoseconds.
    init(now: @escaping @Sendable () -> Int64 = ProtectedLinks.systemTime) { self.now = now }

    /// The protected names in a folder that may be links.
    func names(in folder: String, _ status: FileStatus) -> [Name] {
        let version = status.version
        if let known = known.withLock({ $0[status.id] }), known.version == version { return known.names }
        let names = SmallFiles.names(in: folder, onlyLinks: true).compactMap { name in
            ProtectedPrograms.reason(for: name).map { Name(name: name, reason: $0) }
        }
        counted.withLock { $0 += 1 }
        let age = now().subtractingReportingOverflow(version.changed)
        known.withLock { known in
            known[status.id] = nil
            guard !age.overflow, age.partialValue >= Self.settled, known.count < Self.most else { return }
            known[status.id] = Known(version: version, names: names)
        }
        return names
    }

    private static let systemTime: @Sendable () -> Int64 = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
