internal import FleetChecker
internal import Foundation

/// Checks the history of a run: `fleet-check FILE`. The exit status is 0 if nothing is wrong, 1 if something
/// is wrong, and 65 if the file is no history.
@main
struct FleetCheck {
    static func main() {
        guard CommandLine.arguments.count == 2,
            let text = try? String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
        else {
            FileHandle.standardError.write(Data("usage: fleet-check FILE\n".utf8))
            exit(64)
        }
        do {
            let history = try FleetHistory(lines: text.split(separator: "\n"))
            let violations = history.violations()
            for violation in violations { print("wrong: \(violation)") }
            print(
                "\(history.size.acts) acts, of which \(history.size.known) have a known outcome: \(violations.count) wrong"
            )
            exit(violations.isEmpty ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(65)
        }
    }
}
