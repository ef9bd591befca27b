internal import Foundation
internal import Mutation

/// The package as it stood in the working tree at the start, and a copy of it that gets the faults.
///
/// A file of the copy is written only where it changes, so that a build of it starts from the one before. What is edited
/// meanwhile is left to the next run.
struct SourceTree {
    let copy: URL
    /// Each file that is tracked and there, by its path relative to the root.
    private let files: [String: File]

    private struct File {
        let data: Data
        let isExecutable: Bool
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    init(root: URL, place: URL?) throws {
        copy = place ?? root.appending(path: ".build/mutants/tree")
        // What is in the copy and not tracked is removed.
        if FileManager.default.fileExists(atPath: copy.appending(path: ".git").path) {
            throw Refused(
                description: "\(copy.path) is a repository of its own: name another folder for the copy"
            )
        }
        let listed = try Command.output("git", ["-C", root.path, "ls-files", "-z"])
        var files: [String: File] = [:]
        for path in listed.split(separator: "\0").map(String.init) {
            let place = root.appending(path: path)
            guard FileManager.default.fileExists(atPath: place.path) else { continue }
            files[path] = File(
                data: try Data(contentsOf: place),
                isExecutable: FileManager.default.isExecutableFile(atPath: place.path)
            )
        }
        self.files = files
    }

    /// The Swift files at some paths, in an order that is always the same.
    func sources(in paths: [String]) throws -> [String] {
        let all = files.keys.sorted().filter {
            $0.hasSuffix(".swift") && ($0.hasPrefix("Sources/") || $0.hasPrefix("Plugins/"))
        }
        if paths.isEmpty {
            return all.filter {
                !$0.hasPrefix("Sources/portcullis/") && !$0.hasPrefix("Plugins/TerminalHost/")
                    && !$0.hasPrefix("Plugins/TerminalScreens/")
            }
        }
        let named = paths.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        for path in named where !all.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) {
            throw Refused(description: "no Swift file under Sources or Plugins is at \(path)")
        }
        return all.filter { file in named.contains { file == $0 || file.hasPrefix($0 + "/") } }
    }

    func original(_ path: String) -> String { String(decoding: files[path]?.data ?? Data(), as: UTF8.self) }

    /// The module that a file is part of: the folder below `Sources` or `Plugins`.
    static func module(of path: String) -> String { String(path.split(separator: "/")[1]) }

    private static let accessor = "FaultIsOn.swift"

    /// Brings the copy to the state of the working tree, with these faults in it.
    func write(_ faults: [(number: Int, fault: Fault)]) throws {
        let byPath = Dictionary(grouping: faults) { $0.fault.path }
        var kept = Set(files.keys)
        for (path, file) in files {
            let data = byPath[path].map { Data(MutatedSource.text(original(path), with: $0).utf8) }
            try replace(path, with: data ?? file.data, isExecutable: file.isExecutable)
        }
        // A module keeps it when no fault is in it: a file less would have the compiler start the module anew.
        for source in try sources(in: ["Sources", "Plugins"]) {
            let folder = source.split(separator: "/").prefix(2).joined(separator: "/")
            let path = "\(folder)/\(Self.accessor)"
            guard !kept.contains(path) else { continue }
            let isThere = FileManager.default.fileExists(atPath: copy.appending(path: path).path)
            guard isThere || byPath.keys.contains(where: { $0.hasPrefix(folder + "/") }) else { continue }
            kept.insert(path)
            try replace(path, with: Data(MutatedSource.accessor.utf8), isExecutable: false)
        }
        try removeOthers(than: kept)
    }

    private func replace(_ path: String, with data: Data, isExecutable: Bool) throws {
        let target = copy.appending(path: path)
        if let present = try? Data(contentsOf: target), present == data { return }
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try data.write(to: target)
        let mode = isExecutable ? 0o755 : 0o644
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path)
    }

    /// A file that was renamed would be there twice.
    private func removeOthers(than kept: Set<String>) throws {
        for folder in ["Sources", "Plugins", "Tests"] {
            let base = copy.appending(path: folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: base.path) {
                let place = base.appending(path: path)
                let isFolder = (try? place.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
                if !isFolder, !kept.contains("\(folder)/\(path)") {
                    try FileManager.default.removeItem(at: place)
                }
            }
        }
    }
}
