/// Finds the protected programs of this machine by the identity of their files. Names do not suffice: a hard
/// link may have any name, and the target of a symbolic link may have any name.
///
/// The search for symbolic links and the search for hard links each read a folder at most once. Hard links
/// are searched for only when a file has more than one name.
final class LinkedPrograms {
    private let commands: [String]
    private let users: Set<UInt32>
    private let links: ProtectedLinks
    private lazy var files = findFiles()
    private lazy var targets = findTargets()

    /// Prepares the search for protected programs.
    /// - Parameters:
    ///   - users: the ids of trusted users. A symbolic link protects its target only if one of these users
    ///     owns the link.
    ///   - links: caches the names of links in each folder.
    init(searchPath: [String], users: Set<UInt32>, links: ProtectedLinks) {
        self.links = links
        commands = searchPath + Self.common
        self.users = users
    }

    /// Returns the reason why a file is never shielded; `nil` if it may be shielded. The file is recognised
    /// by its identity and not by its name.
    func reason(for status: FileStatus) -> String? {
        targets[status.id] ?? (status.links > 1 ? files[status.id] : nil)
    }

    private static let common = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"]

    /// Folders outside of the search path that hold protected programs. These programs have no symbolic links
    /// with other names, so only their hard links are searched for.
    private static let others = [
        "/usr/libexec", "/usr/lib/systemd", "/lib64", "/usr/lib64", "/usr/lib", "/lib",
    ]

    private func findTargets() -> [FileID: String] {
        var seen: Set<FileID> = []
        var reasons: [FileID: String] = [:]
        for folder in commands {
            guard let status = FileStatus(path: folder), seen.insert(status.id).inserted else { continue }
            for link in links.names(in: folder, status) {
                let path = "\(folder)/\(link.name)"
                guard let owner = SmallFiles.owner(ofLink: path), users.contains(owner) else { continue }
                note(path, link.reason, in: &reasons)
            }
        }
        return reasons
    }

    private func findFiles() -> [FileID: String] {
        var seen: Set<FileID> = []
        var reasons: [FileID: String] = [:]
        func look(in folder: String) {
            guard let id = FileID(path: folder), seen.insert(id).inserted else { return }
            for name in SmallFiles.names(in: folder) {
                let path = "\(folder)/\(name)"
                // The dynamic loader may be in a subfolder that is named for the machine's architecture, such
                // as `x86_64-linux-gnu`. So these subfolders are searched too.
                if name.contains("-linux-"), FileStatus(path: path)?.isFolder == true { look(in: path) }
                guard let reason = ProtectedPrograms.reason(for: name),
                    SmallFiles.owner(ofLink: path).map(users.contains) ?? true
                else { continue }
                note(path, reason, in: &reasons)
            }
        }
        for folder in commands + Self.others { look(in: folder) }
        return reasons
    }

    private func note(_ path: String, _ reason: String, in reasons: inout [FileID: String]) {
        guard let id = FileID(path: path) else { return }
        reasons[id] = reasons[id] ?? reason
    }
}
