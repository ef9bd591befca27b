#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

// What zones there are.
extension ZoneFiles {
    /// The names of all zones, in no order; empty where there are no zone files.
    package var names: [String] { folder.map { Self.walk($0).files } ?? [] }

    /// The folders in which a replaced zone is to be seen: the zones' and all below it.
    package var watchedFolders: [String] { folder.map { Self.walk($0).folders } ?? [] }

    /// The version of the tz database, such as `2026a`, that the files say they were made of; `unknown` where they say
    /// nothing, `none` where there are none.
    package var version: String {
        guard let folder else { return "none" }
        // Debian, Fedora, Alpine, Arch; then the BSDs.
        for (file, start) in [("tzdata.zi", "# version "), ("+VERSION", "")] {
            guard let line = Self.firstLine(of: folder + "/" + file), line.hasPrefix(start) else { continue }
            let version = line.dropFirst(start.count).prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if !version.isEmpty { return String(version) }
        }
        return "unknown"
    }

    private static func firstLine(of path: String) -> String? {
        // All of the database as one text has a tenth of this.
        guard let (bytes, _) = try? contents(of: path, atMost: 1 << 20) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(100), as: UTF8.self)
    }

    /// More files than any release has, and deeper folders: a bound for a link that leads back.
    private static let most = 4_096
    private static let deepest = 4

    private static func walk(_ root: String) -> (files: [String], folders: [String]) {
        var files: [String] = []
        var folders = [root]
        // Names in the root, each with its depth.
        var open: [(name: String, depth: Int)] = [("", 0)]
        while let (name, depth) = open.popLast(), files.count + folders.count < most {
            for entry in entries(of: name.isEmpty ? root : root + "/" + name) where isPart(entry) {
                let path = name.isEmpty ? entry : name + "/" + entry
                var status = stat()
                guard unsafe stat(root + "/" + path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFREG { files.append(path) }
                if status.st_mode & S_IFMT == S_IFDIR, depth < deepest {
                    folders.append(root + "/" + path)
                    open.append((path, depth + 1))
                }
            }
        }
        return (files, folders)
    }

    /// Whether a name in a folder may be a zone's or a region's. Each begins with a capital, where `posix`, `right`,
    /// `posixrules`, `localtime` and the tables do not, and has no dot.
    private static func isPart(_ entry: String) -> Bool {
        guard let first = entry.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
            return false
        }
        return !entry.utf8.contains(UInt8(ascii: ".")) && !["Factory", "SECURITY"].contains(entry)
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var entries: [String] = []
        while let entry = unsafe readdir(stream), entries.count < most {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            entries.append(name)
        }
        return entries
    }
}
#endif
