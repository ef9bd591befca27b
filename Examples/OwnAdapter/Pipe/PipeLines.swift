internal import Foundation
internal import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The two pipes of ``PipeReader``. A thread of its own reads the lines, so it may wait as long as necessary.
final class PipeLines: Sendable {
    private let input: FileHandle
    private let output: FileHandle
    private let take = Mutex<(@Sendable (Line) -> Void)?>(nil)
    private let open = Mutex(true)

    /// Makes the lines of two open pipes: `input` has the program's lines, and `output` takes lines for the
    /// program.
    init(_ input: FileHandle, output: FileHandle) {
        (self.input, self.output) = (input, output)
        // A write must not end the app if the program has gone, and must not wait if the program reads
        // nothing.
        signal(SIGPIPE, SIG_IGN)
        _ = fcntl(output.fileDescriptor, F_SETFL, O_NONBLOCK)
    }

    /// Whether the program at the other end still runs.
    var isOpen: Bool { open.withLock { $0 } }

    /// Passes each line on from now on. This method is called once.
    func follow(_ take: @escaping @Sendable (Line) -> Void) {
        self.take.withLock { $0 = take }
        Thread.detachNewThread { [self] in read() }
    }

    /// A line from the program.
    struct Line: Sendable {
        /// The prompt that the line is about; `nil` for the shown prompt.
        var id: UInt64?
        var text: Substring

        init(id: UInt64?, _ text: Substring) { (self.id, self.text) = (id, text) }

        /// Reads a number, a blank and a text; `nil` for anything else.
        init?(_ line: String) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let id = UInt64(parts[0]) else { return nil }
            (self.id, text) = (id, parts[1])
        }

        /// The hint for the person; `nil` for a line without one.
        var hint: BiometricHint? {
            text.hasPrefix("hint ") ? BiometricHint(String(text.dropFirst(5))) : nil
        }

        /// The outcome with which the line ends a prompt; `nil` for a line that ends none.
        var outcome: BiometricOutcome? {
            switch text {
            case "match": .success(key: nil)
            case "no match": .failed(message: BiometricOutcome.defaultFailureMessage)
            case "passcode": .passcodeChosen
            case "cancel": .cancelled(by: .user)
            case "gone": .cancelled(by: .system)
            default: nil
            }
        }
    }

    /// Writes a line to the program. If the program has gone or reads nothing, the line is dropped.
    func tell(_ line: String) {
        // The text was written for people. A line break in it would begin another line.
        let text = line.filter { !$0.isNewline } + "\n"
        try? output.write(contentsOf: Data(text.utf8))
    }

    /// Stops passing lines on.
    func end() { take.withLock { $0 = nil } }

    private func read() {
        var rest: [UInt8] = []
        // The data is empty at the end of the pipe, after the program has gone.
        while case let bytes = input.availableData, !bytes.isEmpty {
            rest += bytes
            while let end = rest.firstIndex(of: 0x0A) {
                if let line = Line(String(decoding: rest[..<end], as: UTF8.self)) {
                    take.withLock { $0 }?(line)
                }
                rest.removeFirst(end + 1)
            }
        }
        open.withLock { $0 = false }
        take.withLock { $0 }?(Line(id: nil, "gone"))
    }
}
