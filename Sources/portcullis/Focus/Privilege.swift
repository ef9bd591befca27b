#if os(Linux)
internal import Glibc

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What this process may do.
enum Privilege {
    /// Whether this is the machine's root. Any user can be root in a user namespace of their own (`unshare
    /// -r`), but may do no more there than outside of it, and waits as outside of it.
    ///
    /// Where the system does not say, it is not.
    static var isRoot: Bool {
        guard geteuid() == 0, let map = FileManager.default.contents(atPath: "/proc/self/uid_map") else {
            return false
        }
        return isWhole(map: String(decoding: map, as: UTF8.self))
    }

    /// Whether a namespace's users are those of the machine: user_namespaces(7).
    static func isWhole(map: String) -> Bool {
        map.split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
    }
}
#endif
