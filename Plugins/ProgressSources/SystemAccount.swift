#if os(Linux)
internal import Glibc

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An account of this machine, such as the account whose programs the goal lock blocks.
public struct SystemAccount: Sendable, Hashable {
    /// The user id.
    public let id: UInt32
    /// The id of the user's primary group.
    public let group: UInt32
    /// The user's name; the user id as text if the system knows no name.
    public let name: String
    /// The path of the home folder; `/` if the system knows none.
    public let home: String
    /// Whether the system has an entry for the account. Without an entry, the account is only a user id.
    public private(set) var isKnown = true

    /// Whether the account is root, and so may do everything.
    public var isRoot: Bool { id == 0 }
    /// Whether this process runs as the account.
    public var isCurrent: Bool { id == geteuid() }

    /// The account that this process runs as. The system may have no entry for its user id.
    public static var current: SystemAccount {
        let id = geteuid()
        return unsafe find({ unsafe getpwuid_r(id, $0, $1, $2, $3) })
            ?? SystemAccount(id: id, group: getegid())
    }

    /// Finds the account with a name or a number.
    ///
    /// - Returns: `nil` if there is no such account. Every number except the largest counts as an account,
    ///   even if the system has no entry for it.
    public init?(named name: String) {
        let named = unsafe Self.find({ unsafe getpwnam_r(name, $0, $1, $2, $3) })
        guard let found = named ?? Self.numbered(name) else { return nil }
        self = found
    }

    /// Whether this process has the rights of the machine's root user. Every user can be root in a user
    /// namespace of their own (`unshare -r`), but gets no rights outside of the namespace.
    ///
    /// The value is `false` if the system does not provide this information.
    public static var isMachineRoot: Bool {
        guard geteuid() == 0, let map = FileManager.default.contents(atPath: "/proc/self/uid_map") else {
            return false
        }
        return isWhole(map: String(decoding: map, as: UTF8.self))
    }

    /// Whether a user namespace has the same users as the machine, by the namespace's `uid_map`
    /// (user_namespaces(7)).
    package static func isWhole(map: String) -> Bool {
        map.split(whereSeparator: \.isWhitespace) == ["0", "0", "4294967295"]
    }

    /// The account with a number. If the system has no entry for the number, the account gets the group of
    /// the same number, and the home folder `/`.
    private static func numbered(_ name: String) -> SystemAccount? {
        // The largest number means "no user" to system calls, so it names no account.
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
        // An entry is usually one line of `/etc/passwd`. The buffer is far larger than such a line.
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
