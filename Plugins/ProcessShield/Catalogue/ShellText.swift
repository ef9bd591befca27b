/// The program text that a shell is given with `-c`.
enum ShellText {
    /// Why a text says nothing about an app, as `bash -l` and `"$@"` do; `nil` for one that does.
    static func refusal(of text: String, depth: Int = 0) -> String? {
        guard let command = ExecLine(ExecLine.asLine(text)), depth < 4 else {
            return "its command's text names no program"
        }
        let program = command.program
        if program.hasPrefix("$"), !program.contains("/") { return "its command's text names no program" }
        guard let reason = ProtectedPrograms.reason(for: program) else { return nil }
        guard ProtectedPrograms.runsOthers(program) else { return reason }
        let arguments = command.arguments
        switch LaunchGrammar.subject(program: program, called: program, arguments) {
        case nil: return reason
        case .text(let index): return refusal(of: arguments[index], depth: depth + 1)
        case .file, .words: return nil
        }
    }
}
