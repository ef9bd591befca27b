internal import LinuxSystem
internal import PortcullisCore
internal import TerminalHost
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Diagnostics for people.
enum StandardError {
    /// Writes lines that a terminal shows as they are. On a terminal those that are wider are broken between words;
    /// one that begins with a blank is laid out already and stays whole.
    static func write(_ text: String) {
        let width = isatty(STDERR_FILENO) == 1 ? Terminal(output: STDERR_FILENO).size.columns : nil
        write(partial: lines(of: text, width: width).map { $0 + "\n" }.joined())
    }

    /// The lines of a diagnostic.
    ///
    /// - Parameters:
    ///   - text: with line ends of our own.
    ///   - width: cells in a row; `nil` where lines have no end.
    static func lines(of text: String, width: Int?) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part in
            let line = ForeignText.line(String(part))
            guard let width, !line.hasPrefix(" "), CellWidth.of(line) > width else { return [line] }
            return CellWidth.wrap(line, to: width, splitsWords: false)
        }
    }

    static func write(partial text: String) {
        // Where even standard error is closed there is no place left to report that.
        try? FileOutput(STDERR_FILENO).write(Array(text.utf8).span)
    }
}

/// What a command has to say.
enum StandardOutput {
    private static let file = FileOutput(STDOUT_FILENO)

    /// Whether a person reads it.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static func write(line: String) throws(ToolFailure) { try file.write(Array("\(line)\n".utf8).span) }

    /// Bytes as they are.
    static func write(_ bytes: Span<UInt8>) throws(ToolFailure) { try file.write(bytes) }

    /// One value as one line of JSON, members in the order of their names, with nothing that a terminal would obey.
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

    /// A secret's bytes as they are.
    static func write(_ secret: SecretBytes) throws(ToolFailure) {
        try secret.withBytes { (bytes) throws(ToolFailure) in try file.write(bytes) }
    }
}

/// A descriptor that is written to, to the end.
private struct FileOutput {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func write(_ bytes: Span<UInt8>) throws(ToolFailure) {
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe Descriptors.write($0, to: descriptor) }
        guard isWritten else { throw ToolFailure("output cannot be written", .refused) }
    }
}
