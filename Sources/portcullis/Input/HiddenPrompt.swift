internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Asks for a line at a terminal that shows none of it. Blocks.
///
/// Signals from keys are off meanwhile and Ctrl-C is read as a key, so that no key leaves the terminal without its
/// echo.
struct HiddenPrompt {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func line(_ prompt: String, longest: Int) throws(SecretInput.Failure) -> SecretBytes {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .missing }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden)
        // Prompts go to the terminal, wherever output was sent.
        StandardError.write(partial: "\(prompt): ")
        defer {
            unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
            StandardError.write("")
        }
        var isInterrupted = false
        let line = SecretBytes(capacity: longest + 1) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                typing: while unsafe readByte(buffer.baseAddress! + count) {
                    switch unsafe buffer[count] {
                    case 0x0A, 0x0D, 0x04: break typing
                    case 0x03:
                        isInterrupted = true
                        break typing
                    case 0x08, 0x7F: count = max(0, count - 1)
                    case 0x15: count = 0
                    default: count = min(longest, count + 1)
                    }
                }
            }
        }
        if isInterrupted { throw .interrupted }
        return line
    }

    @unsafe
    private func readByte(_ place: UnsafeMutablePointer<UInt8>) -> Bool {
        while true {
            let count = unsafe read(descriptor, place, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1
        }
    }
}
