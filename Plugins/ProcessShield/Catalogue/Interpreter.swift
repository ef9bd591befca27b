/// The program that runs a script. The script's first line names it.
struct Interpreter: Hashable, Sendable {
    /// The interpreter's path with all links resolved.
    let path: String
    /// The arguments that the first line gives to the interpreter. They stand before the script's path.
    let arguments: [String]

    init(path: String, arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Reads the interpreter from a script's first line. If the line starts env(1), the interpreter is the
    /// program that env(1) looks up. The result is `nil` if the first line names no interpreter or the
    /// interpreter is not installed.
    init?(ofScript text: String, in catalogue: DesktopCatalogue) {
        guard let line = text.lines.first, line.hasPrefix("#!"),
            let command = ExecLine(ExecLine.asLine(String(Substring(line.utf8.dropFirst(2))))),
            let real = catalogue.find(command.program).flatMap(SmallFiles.realPath)
        else { return nil }
        self.init(path: real, arguments: command.arguments)
    }

    /// Returns the index of the script among the arguments of a process that runs this interpreter.
    ///
    /// The arguments of the script's first line come first. The script is the next argument that is not an
    /// option. The result is `nil` if there is none, or if the arguments of the first line are missing. In
    /// the second case the process may only read the script, as an editor does.
    func place(ofScriptIn arguments: [String]) -> Int? {
        let start: Int
        if arguments.starts(with: self.arguments) {
            start = self.arguments.count
        } else if arguments.first == self.arguments.joined(separator: " ") {
            // The kernel does not split the arguments of the script's first line, and passes them as one
            // argument. Only env(1) splits them.
            start = 1
        } else {
            return nil
        }
        return arguments[start...].firstIndex { !$0.hasPrefix("-") }
    }
}
