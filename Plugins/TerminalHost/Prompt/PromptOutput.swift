internal import LinuxSystem

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes the texts of a prompt, or a hint, without waiting for a terminal that accepts nothing.
final class PromptOutput {
    /// The longest time that an answered prompt waits for a terminal that accepts nothing. After this time,
    /// the rest of the text is dropped.
    static let lastPatience = Duration.milliseconds(1_000)

    private let descriptor: Int32
    /// Whether a write returns at once when the terminal accepts nothing.
    private let isNonBlocking: Bool
    private var pending: [UInt8] = []

    /// Creates an output without text.
    ///
    /// - Parameter output: the descriptor to write to.
    init(_ output: Int32) {
        let own = Descriptors.reopenTerminal(output, forWriting: true)
        descriptor = own ?? output
        isNonBlocking = own != nil
    }

    deinit {
        if isNonBlocking { close(descriptor) }
    }

    /// The descriptor that has to accept more bytes; `nil` if all text is written.
    var awaited: Int32? { pending.isEmpty ? nil : descriptor }

    /// Adds text, and writes what is accepted now.
    func say(_ text: String) {
        pending += Array(text.utf8)
        write(atMost: .zero)
    }

    /// Writes the rest of the text.
    ///
    /// - Parameter limit: the longest time to wait for a terminal that accepts nothing.
    func write(atMost limit: Duration) {
        while !pending.isEmpty, DescriptorWait.isReady(descriptor, for: .writable, atMost: limit) {
            // A pipe that is ready for writing accepts `PIPE_BUF` bytes without blocking.
            let piece = isNonBlocking ? pending : Array(pending.prefix(Int(PIPE_BUF)))
            let count = unsafe piece.withUnsafeBytes { unsafe Descriptors.writeOnce($0, to: descriptor) }
            // A failed write is ignored, because there is no other place to report it.
            guard let count else { return pending = [] }
            if count == 0 { return }
            pending.removeFirst(count)
        }
    }
}
