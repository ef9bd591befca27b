#if os(Linux)
internal import Glibc

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An account of this machine, such as the one whose programs are shut.
public struct SystemAccount: Sendable, Hashable {
    /// The user's number.
    public let id: UInt32
    /// The number of the user's own group.
    public let group: UInt32
    /// The user's name; the number where the system knows no name.
    public let name: String
    /// The path of the home folder; `/` where the system knows none.
    public let home: String
    /// Whether the system knows the account by more than its number.
    public private(set) var isKnown = true

    /// Whether the account may do anything.
    public var isRoot: Bool { id == 0 }
    /// Whether it is the one that runs this process.
    public var isCurrent: Bool { id == geteuid() }

    /// The account that runs this process. An id without an account is a user all the same.
    public static var current: SystemAccount {
        let id = geteuid()
        return unsafe find({ unsafe getpwuid_r(id, $0, $1, $2, $3) })
            ?? SystemAccount(id: id, group: getegid())
    }

    /// The account of a name or number.
    ///
    /// - Returns: `nil` when there is none. Any number but the largest is a user, with an account or without.
    public init?(named name: String) {
        let named = unsafe Self.find({ unsafe getpwnam_r(name, $0, $1, $2, $3) })
        guard let found = named ?? Self.numbered(name) else { return nil }
        self = found
    }

    /// Whether this process is the machine's root. Any user can be root in a user namespace of their own
    /// (`unshare -r`), but may do no more there than outside of it.
    ///
    /// Where the system does not say, it is not.
    public static var isMachineRoot: Bool {
        guard geteuid() == 0, let map = FileManager.default.contents(atPath: "/proc/self/uid_map") else {
            return false
        }
        return isWhole(map: String(decoding: map, as: UTF8.self))
    }

    /// Whether a namespace's users are those of the machine: user_namespaces(7).
    package static func isWhole(map: String) -> Bool {
        map.split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
    }

    /// The user of a number; one without an account has a group of the same number, and no home.
    private static func numbered(_ name: String) -> SystemAccount? {
        // The largest number means "no user" to the system's calls.
        guard let id = UInt32(name), id != .max, "\(id)" == name else { return nil }
        return unsafe find({ unsafe getpwuid_r(id, $0, $1, $2, $3) }) ?? SystemAccount(id: id, group: id)
    }

    private init(id: UInt32, group: UInt32) {
        self.init(id: id, group: group, name: "\(id)", home: "/")
        isKnown = false
    }

    private init(id: UInt32, group: UInt32, name: String, home: String) {
        self.id = id
        self.group = group
        self.name = name
        self.home = home
    }

    private typealias Lookup = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> CInt

    private static func find(_ look: Lookup) -> SystemAccount? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Entries are lines of a file; this is far more than any holds.
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard unsafe look(&entry, &buffer, buffer.count, &found) == 0, let account = unsafe found?.pointee
        else { return nil }
        return unsafe SystemAccount(
            id: account.pw_uid,
            group: account.pw_gid,
            name: String(cString: account.pw_name),
            home: String(cString: account.pw_dir)
        )
    }
}
#endif
