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

/// The ground of ``PipeReader``: lines in two pipes, read by a thread that may wait as long as it likes.
final class PipeLines: Sendable {
    private let input: FileHandle
    private let output: FileHandle
    private let take = Mutex<(@Sendable (Line) -> Void)?>(nil)
    private let open = Mutex(true)

    /// The lines of two open pipes: what the program says, and what it is told.
    init(_ input: FileHandle, output: FileHandle) {
        (self.input, self.output) = (input, output)
        // A program that has gone must not end the app, nor one that reads nothing hold it up.
        signal(SIGPIPE, SIG_IGN)
        _ = fcntl(output.fileDescriptor, F_SETFL, O_NONBLOCK)
    }

    /// Whether the program at the other end is there.
    var isOpen: Bool { open.withLock { $0 } }

    /// Hands each line on from now on; to be called once.
    func follow(_ take: @escaping @Sendable (Line) -> Void) {
        self.take.withLock { $0 = take }
        Thread.detachNewThread { [self] in read() }
    }

    /// A line of the program's.
    struct Line: Sendable {
        /// The prompt that it is about; `nil`: the one that is up.
        var id: UInt64?
        var text: Substring

        init(id: UInt64?, _ text: Substring) { (self.id, self.text) = (id, text) }

        /// A number, a blank and what happened; `nil` for anything else.
        init?(_ line: String) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let id = UInt64(parts[0]) else { return nil }
            (self.id, text) = (id, parts[1])
        }

        /// What the reader asks the person for.
        var hint: BiometricHint? {
            text.hasPrefix("hint ") ? BiometricHint(String(text.dropFirst(5))) : nil
        }

        /// How it ends a prompt; `nil` for a line that does not.
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

    /// Tells the program something; one that has gone, or takes no more, is not told.
    func tell(_ line: String) {
        // It was written for people, and is one line.
        let text = line.filter { !$0.isNewline } + "\n"
        try? output.write(contentsOf: Data(text.utf8))
    }

    /// Hands no line on any more.
    func end() { take.withLock { $0 = nil } }

    private func read() {
        var rest: [UInt8] = []
        // Empty at the end of the pipe, which is when the program has gone.
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
