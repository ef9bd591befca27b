#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization

/// Finds the names in a folder of commands that may be links to protected programs. The names are cached
/// until the folder changes.
///
/// A folder of commands has several hundred links, but only a few of them have the name of a protected
/// program. Reading and comparing all names takes longer than all other work on a selection. The target of a
/// link is not cached, because it can change while the folder stays the same.
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

    /// The number of times that a folder was read so far.
    var count: Int { counted.withLock { $0 } }

    /// The limit of cached folders. A search path has only a few folders.
    private static let most = 64

    /// The least age of a folder's last change, in nanoseconds, at which the folder's names are cached.
    ///
    /// File systems count time in ticks, so two changes in one tick have the same time. If the folder were
    /// read between two such changes, its time would not show the second one, and the cached names would be
    /// out of date.
    static let settled: Int64 = 2_000_000_000

    /// Creates an empty cache.
    /// - Parameter now: returns the time of the system's clock, in nanoseconds.
    init(now: @escaping @Sendable () -> Int64 = ProtectedLinks.systemTime) { self.now = now }

    /// Returns the names in a folder that are names of protected programs and may be links.
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
