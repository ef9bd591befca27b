#if os(Linux)
internal import Glibc
internal import PortcullisCore

/// The account whose programs are shut.
struct FocusPerson: Sendable, Hashable {
    var id: UInt32
    var group: UInt32
    var name: String
    var home: String
    /// Whether the system knows the account by more than its number.
    var hasAccount = true

    /// Whether the account may do anything.
    var isRoot: Bool { id == 0 }
    /// Whether it is the one that runs this process.
    var isSelf: Bool { id == geteuid() }

    /// The account of a name or number, or the one that runs this process.
    ///
    /// - Throws: ``ToolExit/usage`` when there is no such account, or it is another one and this is not root.
    init(named name: String?) throws(ToolFailure) {
        guard let name else {
            let id = geteuid()
            // An id without an account is a user all the same.
            self =
                unsafe Self.find({ unsafe getpwuid_r(id, $0, $1, $2, $3) })
                ?? FocusPerson(id: id, group: getegid())
            return
        }
        let named = unsafe Self.find({ unsafe getpwnam_r(name, $0, $1, $2, $3) })
        guard let found = named ?? Self.numbered(name) else {
            throw ToolFailure("there is no user '\(ForeignText.line(name))'", .usage)
        }
        guard found.isSelf || geteuid() == 0 else {
            throw ToolFailure("only root may shut the programs of \(name)", .usage)
        }
        self = found
    }

    /// The user of a number; one without an account has a group of the same number, and no home.
    private static func numbered(_ name: String) -> FocusPerson? {
        // The largest number means "no user" to the system's calls.
        guard let id = UInt32(name), id != .max, "\(id)" == name else { return nil }
        return unsafe find({ unsafe getpwuid_r(id, $0, $1, $2, $3) }) ?? FocusPerson(id: id, group: id)
    }

    private init(id: UInt32, group: UInt32) {
        self.init(id: id, group: group, name: "\(id)", home: "/")
        hasAccount = false
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

    private static func find(_ look: Lookup) -> FocusPerson? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        // Entries are lines of a file; this is far more than any holds.
        var buffer = [CChar](repeating: 0, count: 65_536)
        guard unsafe look(&entry, &buffer, buffer.count, &found) == 0, let account = unsafe found?.pointee
        else { return nil }
        return unsafe FocusPerson(
            id: account.pw_uid,
            group: account.pw_gid,
            name: String(cString: account.pw_name),
            home: String(cString: account.pw_dir)
        )
    }
}
#endif
