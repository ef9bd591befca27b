internal import LinuxSystem
internal import PortcullisCore
internal import TerminalHost
internal import TerminalScreens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Writes diagnostics for people to standard error.
enum StandardError {
    /// Whether standard error is a terminal.
    static var isTerminal: Bool { Descriptors.isTerminal(Descriptors.standardError) }

    /// Writes lines, with control characters replaced. On a terminal, lines that are too wide are broken
    /// between words. A line that begins with a blank already has a layout and stays whole.
    static func write(_ text: String) {
        let width = isTerminal ? Terminal(output: Descriptors.standardError).size.columns : nil
        write(partial: lines(of: text, width: width).map { $0 + "\n" }.joined())
    }

    static func warn(_ text: String) { write("portcullis: warning: \(text)") }

    /// The lines of a diagnostic.
    ///
    /// - Parameters:
    ///   - text: the diagnostic. Its line ends must come from the tool itself, not from a foreign text.
    ///   - width: the width of a row in cells. If it is `nil`, lines are not broken.
    static func lines(of text: String, width: Int?) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part in
            let line = ForeignText.line(String(part))
            guard let width, !line.hasPrefix(" "), CellWidth.of(line) > width else { return [line] }
            return CellWidth.wrap(line, to: width, splitsWords: false)
        }
    }

    static func write(partial text: String) {
        // A failed write cannot be reported anywhere, so the error is ignored.
        try? FileOutput(descriptor: Descriptors.standardError).write(Array(text.utf8).span)
    }
}

/// Writes a command's answer to standard output.
enum StandardOutput {
    private static let file = FileOutput(descriptor: Descriptors.standardOutput)

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { Descriptors.isTerminal(Descriptors.standardOutput) }

    static func write(line: String) throws(ToolFailure) { try file.write(Array("\(line)\n".utf8).span) }

    /// Writes bytes unchanged.
    static func write(_ bytes: Span<UInt8>) throws(ToolFailure) { try file.write(bytes) }

    /// Writes a value as a line of JSON, its members sorted by name, with control characters escaped.
    static func write(json value: some Encodable) throws(ToolFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let json = String(decoding: try encoder.encode(value), as: UTF8.self)
            try write(line: ForeignText.escaped(json: json))
        } catch let failure as ToolFailure {
            throw failure
        } catch {
            throw ToolFailure("the answer cannot be written as JSON", .refused)
        }
    }

    /// Writes a secret's bytes unchanged.
    static func write(_ secret: SecretBytes) throws(ToolFailure) {
        try secret.withBytes { (bytes) throws(ToolFailure) in try file.write(bytes) }
    }
}

/// A descriptor to which whole buffers are written.
private struct FileOutput {
    let descriptor: CInt

    func write(_ bytes: Span<UInt8>) throws(ToolFailure) {
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe Descriptors.write($0, to: descriptor) }
        guard isWritten else { throw ToolFailure("output cannot be written", .refused) }
    }
}
