import Foundation

/// System calls of an operation: what a process makes more of when it does more of it, counted by strace.
struct SystemCalls {
    let bench: Bench
    private let operations = 500

    /// A table of its own kind, since what is counted has names.
    func run() async throws -> String {
        let path = try bench.path("calls")
        let ours = try await Ours(path, items: 1)
        try await ours.fill(1)
        await ours.close()
        let nothing = try counts(["--puts", "1", "--gets", "1"], path)
        var lines = ["| | system calls of one |", "| --- | --- |"]
        for (title, arguments) in [
            ("put", ["--puts", "\(operations + 1)", "--gets", "1"]),
            ("get", ["--puts", "1", "--gets", "\(operations + 1)"]),
            ("open and close", ["--puts", "1", "--gets", "1", "--opens", "\(operations + 1)"]),
        ] {
            let more = try counts(arguments, path)
            let each = more.map {
                ($0.key, Double($0.value - nothing[$0.key, default: 0]) / Double(operations))
            }
            .filter { $0.1 >= 0.01 }
            .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
            lines.append(
                "| \(title) | \(each.map { "\($0.0) \(String(format: "%.2f", $0.1))" }.joined(separator: ", ")) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func counts(_ arguments: [String], _ path: String) throws -> [String: Int] {
        let summary = path + ".strace"
        let command = ["strace", "-f", "-qq", "-c", "-U", "name,calls", "-o", summary]
        _ = try Bench.child(["work", Column.ours, path] + arguments, under: command).end()
        var counts: [String: Int] = [:]
        for line in try String(contentsOfFile: summary, encoding: .utf8).split(separator: "\n") {
            let columns = line.split(separator: " ")
            if columns.count == 2, let count = Int(columns[1]), columns[0] != "total" {
                counts[String(columns[0])] = count
            }
        }
        return counts
    }
}
