internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Asks for a line at a terminal that shows none of it.
///
/// However the prompt ends, the terminal is as it was: signals wait until its echo is back. After a stop it asks
/// anew, and what was typed before counts no more. Signals that the process ignores or handles itself are left to it.
public struct HiddenPrompt: Sendable {
    /// What a person answered.
    public enum Answer: Sendable {
        /// A line, without its end; it may be empty.
        case line(SecretBytes)
        /// A line of more than ``longest`` bytes.
        case tooLong
        /// The prompt was left with Ctrl-C, or its task was cancelled.
        case interrupted
        /// The terminal has gone, or is none.
        case nothingTyped
    }

    /// How many bytes a line may have.
    public static let longest = SecretLine.longest

    private enum Key {
        case byte(SecretBytes)
        /// Nothing followed for as long as was waited.
        case quiet
        case signal(Int32)
        case gone
        case cancelled
    }

    private let descriptor: Int32
    private let output: Int32

    /// A prompt at a terminal.
    ///
    /// - Parameters:
    ///   - input: the terminal; standard input if not given.
    ///   - output: where the prompt is written; standard error if not given, so that it is seen wherever output was sent.
    public init(input: Int32 = 0, output: Int32 = 2) {
        descriptor = input
        self.output = output
    }

    /// Asks, and waits for the answer, on a thread of its own.
    ///
    /// - Parameter prompt: what to ask for, without the colon.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    public func line(_ prompt: String) async throws(TerminalHostError) -> Answer {
        let thread = WorkerThread()
        let wake: Wake
        do throws(SystemCallError) { wake = try Wake() } catch { throw TerminalHostError(error) }
        let result = await withTaskCancellationHandler {
            await thread.run { () throws(Never) in
                Result { () throws(TerminalHostError) in try ask(for: prompt, until: wake) }
            }
        } onCancel: {
            wake.raise()
        }
        return try result.get()
    }

    private func ask(for prompt: String, until wake: Wake) throws(TerminalHostError) -> Answer {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return .nothingTyped }
        let signals = try SignalPipe(
            SignalWatch.ending + [SIGTSTP, SIGCONT],
            sparing: .handled
        )
        hide(before)
        ask(prompt)
        var ending: Answer?
        var fatal: Int32?
        var line = SecretLine(keepsControls: true)
        var decoder = InputDecoder()
        typing: while true {
            switch next(signals, wake, within: decoder.patience) {
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
            case .signal(SIGINT), .cancelled:
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
        signals.end()
        if let fatal {
            // As if it had never been held back. Where another watch has it, that decides; else it may take a moment.
            if signals.send(fatal) { Threads.sleep(microseconds: 1_000_000) }
            return .interrupted
        }
        if let ending { return ending }
        return line.isTooLong ? .tooLong : .line(line.bytes)
    }

    private func ask(_ prompt: String) { write("\(prompt): ") }

    private func write(_ text: String) {
        // Where even that is gone no place is left to say so.
        Descriptors.write(Array(text.utf8), to: output)
    }

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
        write("\n")
    }

    private func pause(_ before: termios) {
        show(before)
        SignalWatch.stopProcess()
    }

    /// What comes first, a key or a signal.
    ///
    /// - Parameter patience: how long to wait for it; `nil` for ever.
    private func next(_ signals: SignalPipe, _ wake: Wake, within patience: Duration?) -> Key {
        var wait = DescriptorWait()
        wait.add(signals.descriptor)
        let terminal = wait.add(descriptor)
        wait.add(wake.descriptor)
        while true {
            let ending = wait.wait(atMost: patience)
            if let number = signals.next() { return .signal(number) }
            if wake.isRaised { return .cancelled }
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
