/// The program that a script's first line names, and that runs it.
struct Interpreter: Hashable, Sendable {
    /// Its path without links.
    let path: String
    /// What stands before the script among its arguments.
    let arguments: [String]

    init(path: String, arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// The interpreter of a script, also one that env(1) is to find; `nil` where the first line names none that is here.
    init?(ofScript text: String, in catalogue: DesktopCatalogue) {
        guard let line = text.lines.first, line.hasPrefix("#!"),
            let command = ExecLine(ExecLine.asLine(String(Substring(line.utf8.dropFirst(2))))),
            let real = catalogue.find(command.program).flatMap(SmallFiles.realPath)
        else { return nil }
        self.init(path: real, arguments: command.arguments)
    }

    /// The place of the script among the arguments of a process that runs this: of those that the script's first line does
    /// not give it, the first one that is no option. `nil` without those that it gives: an editor that runs scripts by an
    /// option has a script open where that option is missing.
    func place(ofScriptIn arguments: [String]) -> Int? {
        let start: Int
        if arguments.starts(with: self.arguments) {
            start = self.arguments.count
        } else if arguments.first == self.arguments.joined(separator: " ") {
            // The kernel gives a line's arguments as one, and env(1) each by itself.
            start = 1
        } else {
            return nil
        }
        return arguments[start...].firstIndex { !$0.hasPrefix("-") }
    }
}
