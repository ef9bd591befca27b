/// Protected programs of this machine by what the kernel calls their files: a hard link may have any name.
///
/// The folders are looked through once, and only when a file has more than one name.
final class LinkedPrograms {
    private let folders: [String]
    private lazy var reasons = find()

    init(searchPath: [String]) { folders = searchPath + Self.common }

    /// Why a file is never shielded, whatever this name of it says.
    func reason(for status: FileStatus) -> String? { status.links > 1 ? reasons[status.id] : nil }

    private static let common = [
        "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/libexec", "/usr/lib/systemd",
        "/lib64", "/usr/lib64", "/usr/lib", "/lib",
    ]

    private func find() -> [FileID: String] {
        var seen: Set<FileID> = []
        var reasons: [FileID: String] = [:]
        func look(in folder: String) {
            guard let id = FileID(path: folder), seen.insert(id).inserted else { return }
            for name in SmallFiles.names(in: folder) {
                let path = "\(folder)/\(name)"
                // The loader is in a folder that is named for the machine's kind.
                if name.contains("-linux-"), FileStatus(path: path)?.isFolder == true { look(in: path) }
                guard let reason = ProtectedPrograms.reason(for: name), let id = FileID(path: path) else {
                    continue
                }
                reasons[id] = reason
            }
        }
        for folder in folders { look(in: folder) }
        return reasons
    }
}
