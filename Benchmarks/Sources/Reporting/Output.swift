internal import Foundation

/// A Markdown report on standard output and, if wanted, in a file with its plots beside it.
package struct Output {
    private let file: FileHandle?
    private let path: String?

    /// - Parameter path: the file; what was there is replaced.
    package init(path: String?) throws {
        self.path = path
        file = try path.map { path in
            let place = URL(fileURLWithPath: path)
            try Data().write(to: place)
            return try FileHandle(forWritingTo: place)
        }
    }

    private func write(_ text: String) throws {
        print(text)
        fflush(nil)
        try file?.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Writes what was measured, how and when.
    package func begin(_ title: String, _ arguments: String) throws {
        let day = String(ISO8601DateFormatter().string(from: Date()).prefix(10))
        try write("# \(title), \(day)\n\nOptions: `\(arguments)`. Medians of the rounds (lowest–highest).\n")
    }

    /// Adds a table, and its plot.
    package func add(_ markdown: String, _ plot: Plot? = nil, _ name: String = "") throws {
        try write(markdown)
        guard let path, let svg = plot?.svg else { return }
        let place = URL(fileURLWithPath: path)
        let picture = "\(place.deletingPathExtension().lastPathComponent)-\(name).svg"
        try svg.write(
            to: place.deletingLastPathComponent().appendingPathComponent(picture),
            atomically: true,
            encoding: .utf8
        )
        try write("![\(name)](\(picture))\n")
    }

    /// Ends with the facts of the machine.
    package func end(measuringIn folder: String) throws {
        try write("Measured on: \(Machine.facts(measuringIn: folder).joined(separator: "; ")).")
        try file?.close()
    }
}
