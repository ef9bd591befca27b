internal import PortcullisCore

extension ProgramResolver {
    /// The first of a program's arguments that names another program: the program may be a wrapper, and that one the app.
    ///
    /// A list of wrappers never has all of them, and one that is taken for the app is shut for everything that it starts. A
    /// path counts wherever the program is; a command's name only where the program is a command itself: one that is
    /// installed elsewhere belongs to an app, whose own words may be called like any command. The arguments after another
    /// argument count as well: it may be the value of an option, or of none, as in `trickle -d 500 GAME`.
    ///
    /// - Parameters:
    ///   - arguments: those of the program, options among them.
    ///   - path: where the program is.
    ///   - folder: the folder that it is started in; `nil`: it is not known.
    func program(namedBy arguments: [String], of path: String, in folder: String? = nil) -> String? {
        let isCommand = catalogue.searchPath.contains { path == "\($0)/\(ExecLine.baseName(path))" }
        let own = FileID(path: path)
        return arguments.first { word in
            guard !word.isEmpty, !word.hasPrefix("-"), isCommand || word.contains("/"),
                let other = catalogue.find(word, in: folder), FileID(path: other) != own,
                let real = SmallFiles.realPath(other)
            else { return false }
            let name = ExecLine.baseName(real)
            // Libraries may be executed on some systems, and anything on disks of others.
            return !name.hasSuffix(".so") && !name.contains(".so.") && scripts.read(real) != .data
        }
    }
}
