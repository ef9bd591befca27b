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
/// However the prompt ends, the terminal is as it was: signals wait until its echo is back. After a stop it asks
/// anew, and what was typed before counts no more.
struct HiddenPrompt {
    private enum Key {
        case byte
        case signal(Int32)
        case gone
    }

    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func line(_ prompt: String, longest: Int) throws(SecretInput.Failure) -> SecretBytes {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .missing }
        let signals = try PromptSignals()
        hide(before)
        ask(prompt)
        var ending: SecretInput.Failure?
        var fatal: Int32?
        let line = SecretBytes(capacity: longest + 1) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                typing: while true {
                    switch unsafe next(buffer.baseAddress! + count, signals) {
                    case .byte:
                        switch unsafe buffer[count] {
                        case 0x0A, 0x0D, 0x04: break typing
                        case 0x08, 0x7F: count = max(0, count - 1)
                        case 0x15: count = 0
                        default: count = min(longest, count + 1)
                        }
                    case .signal(SIGTSTP):
                        count = 0
                        pause(signals, before)
                        hide(before)
                        ask(prompt)
                    case .signal(SIGCONT):
                        // The process was stopped in another way, and a shell may have set its own attributes
                        // since.
                        hide(before)
                    case .signal(SIGINT):
                        ending = .interrupted
                        break typing
                    case .signal(let number):
                        fatal = number
                        break typing
                    case .gone:
                        // An unfinished line is not taken.
                        ending = .missing
                        break typing
                    }
                }
            }
        }
        show(before)
        if let fatal { signals.end(by: fatal) }
        if let ending { throw ending }
        return line
    }

    /// Prompts go to the terminal, wherever output was sent.
    private func ask(_ prompt: String) { StandardError.write(partial: "\(prompt): ") }

    /// Keys come one by one and unseen; those that are signals stay so.
    private func hide(_ before: termios) {
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden)
    }

    private func show(_ before: termios) {
        var before = before
        unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
        StandardError.write(partial: "\n")
    }

    private func pause(_ signals: borrowing PromptSignals, _ before: termios) {
        show(before)
        signals.stop()
    }

    /// What comes first, a key or a signal.
    @unsafe
    private func next(_ place: UnsafeMutablePointer<UInt8>, _ signals: borrowing PromptSignals) -> Key {
        var waiting = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            _ = unsafe poll(&waiting, nfds_t(waiting.count), -1)
            if let number = signals.next() { return .signal(number) }
            guard waiting[1].revents != 0 else { continue }
            let count = unsafe read(descriptor, place, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            return count == 1 ? .byte : .gone
        }
    }
}
