internal import PortcullisCore

extension ProgramResolver {
    /// Returns the first of a program's arguments that is the name or the path of another program; `nil` if
    /// there is none. If there is one, the program may be a wrapper, and the other program may be the app.
    ///
    /// No list of wrappers is complete. If an unknown wrapper counted as the app, the shield would stop every
    /// program that the wrapper starts. All arguments are examined, because an option and its value may come
    /// before the name, as in `trickle -d 500 GAME`.
    ///
    /// An argument with a slash is examined for every program. An argument without a slash is looked up as a
    /// command only if the program itself is in a folder of the search path. A program in another folder
    /// belongs to an app, and an argument of the app may equal a command's name by chance.
    ///
    /// The files of at most ``mostNamed`` arguments are read. The next argument that leads to another
    /// executable file is returned without reading the file.
    ///
    /// - Parameters:
    ///   - arguments: the program's arguments, including options.
    ///   - path: the path of the program.
    ///   - folder: the folder that the program is started in; `nil` when it is not known.
    func program(namedBy arguments: [String], of path: String, in folder: String? = nil) -> String? {
        let isCommand = catalogue.searchPath.contains { path == "\($0)/\(ExecLine.baseName(path))" }
        let own = FileID(path: path)
        var count = 0
        return arguments.first { word in
            guard !word.isEmpty, !word.hasPrefix("-"), isCommand || word.contains("/"),
                let other = catalogue.find(word, in: folder), FileID(path: other) != own,
                let real = SmallFiles.realPath(other)
            else { return false }
            count += 1
            if count > Self.mostNamed { return true }
            let name = ExecLine.baseName(real)
            // A file with the right to execute need not be a program: some systems mark libraries as
            // executable, and on some file systems every file is executable.
            return !name.hasSuffix(".so") && !name.contains(".so.") && scripts.read(real) != .data
        }
    }

    /// The limit of arguments whose files are read. The command line of an app has fewer.
    static let mostNamed = 64
}
