internal import LinuxSystem
internal import PortcullisCore
internal import TerminalScreens

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
        case byte(SecretBytes)
        /// Nothing followed for as long as was waited.
        case quiet
        case signal(Int32)
        case gone
    }

    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// - Throws: `tooLong` for a line that is, once it is ended; `interrupted` and `nothingTyped`.
    func line(_ prompt: String) throws(SecretInput.Failure) -> SecretBytes {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { throw .nothingTyped }
        let signals = try PromptSignals()
        hide(before)
        ask(prompt)
        var ending: SecretInput.Failure?
        var fatal: Int32?
        var line = SecretLine(keepsControls: true)
        var decoder = InputDecoder()
        typing: while true {
            switch next(signals, within: decoder.patience) {
            case .byte(let byte):
                if line.take(byte, by: &decoder) { break typing }
            case .quiet:
                // A lone Esc is a key, which means nothing here.
                _ = decoder.giveUp()
            case .signal(SIGTSTP):
                line.clear()
                decoder = InputDecoder()
                pause(before)
                hide(before)
                ask(prompt)
            case .signal(SIGCONT):
                // The process was stopped in another way, and a shell may have set its own attributes since.
                hide(before)
            case .signal(SIGINT):
                ending = .interrupted
                break typing
            case .signal(let number):
                fatal = number
                break typing
            case .gone:
                // An unfinished line is not taken.
                ending = .nothingTyped
                break typing
            }
        }
        show(before)
        if let fatal { signals.end(by: fatal) }
        if let ending { throw ending }
        guard !line.isTooLong else { throw .tooLong }
        return line.bytes
    }

    /// Prompts go to the terminal, wherever output was sent.
    private func ask(_ prompt: String) { StandardError.write(partial: "\(prompt): ") }

    /// Keys come one by one and unseen; those that are signals stay so.
    ///
    /// A read waits for none: a key that is a signal takes away what was typed before it, also after `poll(2)` has told of
    /// that, and a read that waited then would not hear of the signal.
    private func hide(_ before: termios) {
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON)
        Self.setLeast(0, of: &hidden)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden)
    }

    /// How many bytes a read waits for (VMIN), without a limit of time.
    private static func setLeast(_ count: cc_t, of attributes: inout termios) {
        unsafe withUnsafeMutableBytes(of: &attributes.c_cc) { keys in
            unsafe keys[Int(VMIN)] = count
            unsafe keys[Int(VTIME)] = 0
        }
    }

    private func show(_ before: termios) {
        var before = before
        unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
        StandardError.write(partial: "\n")
    }

    private func pause(_ before: termios) {
        show(before)
        SignalWatch.stop()
    }

    /// What comes first, a key or a signal.
    ///
    /// - Parameter patience: how long to wait for it; `nil` for ever.
    private func next(_ signals: borrowing PromptSignals, within patience: Duration?) -> Key {
        var wait = DescriptorWait()
        wait.add(signals.descriptor)
        let terminal = wait.add(descriptor)
        while true {
            let ending = wait.wait(atMost: patience)
            if let number = signals.next() { return .signal(number) }
            if ending == .timedOut { return .quiet }
            guard !wait[terminal].isEmpty else { continue }
            var isGone = false
            // Into protected memory at once.
            let byte = SecretBytes(capacity: 1) { output in
                isGone = InputPump.Loop.read(descriptor, into: &output)
            }
            if byte.count == 1 { return .byte(byte) }
            // Without a byte it is the end only where the terminal has hung up.
            if isGone, !wait[terminal].isDisjoint(with: .hungUp) { return .gone }
        }
    }
}
