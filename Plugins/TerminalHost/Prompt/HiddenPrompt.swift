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

/// Asks for a line on a terminal without showing the typed characters.
///
/// The terminal is restored after every ending. For this purpose, signals are held back until the terminal
/// echoes again. After a stop by SIGTSTP (Ctrl-Z), the prompt drops the earlier input and asks again. After a
/// stop by SIGSTOP it drops the earlier input, too.
///
/// In the background of the terminal the prompt leaves the terminal to the process in front. It stops the job
/// of this process, as the system stops a job that reads there, and asks when the job is in front.
///
/// Signals that the process ignores or handles itself are not touched.
public struct HiddenPrompt: Sendable {
    /// The outcome of a prompt.
    public enum Answer: Sendable {
        /// A line, without its end; it may be empty.
        case line(SecretBytes)
        /// A line of more than ``longest`` bytes.
        case tooLong
        /// The person pressed Ctrl-C, or the task was cancelled.
        case interrupted
        /// The terminal was closed, or the descriptor is no terminal, or the process is in the background and
        /// no shell can put it in front.
        case nothingTyped
    }

    /// The limit of a line, in bytes.
    public static let longest = SecretLine.longest

    private enum Key {
        case byte(SecretBytes)
        /// No further byte came within the time limit.
        case quiet
        /// The terminal accepts more of the prompt.
        case room
        case signal(Int32)
        /// A read failed as in the background, although the process was in front before.
        case failed
        case gone
        case cancelled
    }

    /// The number of reads in a row that may fail in front.
    private static let mostFailures = 100

    private let descriptor: Int32
    private let output: Int32

    /// Creates a prompt at a terminal.
    ///
    /// - Parameters:
    ///   - input: the terminal; by default standard input.
    ///   - output: where the prompt is written; by default standard error, so that it is seen when output is
    ///     redirected.
    public init(input: Int32 = 0, output: Int32 = 2) {
        descriptor = input
        self.output = output
    }

    /// Shows the prompt, and waits for the answer on a thread of its own.
    ///
    /// - Parameter prompt: the name of the wanted text, without a colon.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    public func line(_ prompt: String) async throws(TerminalHostError) -> Answer {
        let thread = WorkerThread()
        let wake: Wake
        do throws(SystemCallError) { wake = try Wake() } catch { throw TerminalHostError(error) }
        let result = await withTaskCancellationHandler {
            await thread.run { () throws(Never) -> Result<Answer, TerminalHostError> in
                // If no process reads the output, a write must not end the process while the input is hidden.
                Descriptors.blockBrokenPipeSignal()
                return Result { () throws(TerminalHostError) in try ask(for: prompt, until: wake) }
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
        let text = PromptOutput(output)
        // Whether the terminal hides what is typed.
        var isHiding = false
        var hasAsked = false
        var ending: Answer?
        var fatal: Int32?
        var line = SecretLine(keepsControls: true)
        var decoder = InputDecoder()
        var failures = 0
        typing: while true {
            let place = TerminalPlace(at: descriptor)
            if place != .front {
                isHiding = false
                failures = 0
            } else if !isHiding {
                // Until now this process may have been in the background, where a shell had set the attributes
                // for its own line.
                if !hasAsked { _ = unsafe tcgetattr(descriptor, &before) }
                hide(before)
                text.say("\(prompt): ")
                (isHiding, hasAsked) = (true, true)
            }
            if place == .orphaned {
                ending = .nothingTyped
                break typing
            }
            let isBehind = place == .behind
            switch next(signals, wake, text, isBehind: isBehind, within: decoder.patience) {
            case .room:
                text.write(atMost: .zero)
            case .byte(let byte):
                failures = 0
                if line.take(byte, by: &decoder) { break typing }
            case .quiet:
                // A lone Esc key has no meaning here.
                _ = decoder.giveUp()
                if isBehind, TerminalPlace(at: descriptor) == .behind { SignalWatch.stopJob() }
            case .signal(SIGTSTP):
                line.clear()
                decoder = InputDecoder()
                if isHiding { show(before, text) }
                SignalWatch.stopProcess()
                isHiding = false
            case .signal(SIGCONT):
                // The process may have been stopped by SIGSTOP. During that stop, a shell may have changed
                // the terminal's attributes, so they are set again. Another person may be at the terminal
                // now, so what was typed before is dropped.
                line.clear()
                decoder = InputDecoder()
                if isHiding, TerminalPlace(at: descriptor) == .front { hide(before) }
            case .signal(SIGINT), .cancelled:
                ending = .interrupted
                break typing
            case .signal(let number):
                fatal = number
                break typing
            case .failed where failures < Self.mostFailures:
                failures += 1
            case .failed, .gone:
                // The terminal was closed or cannot be read, so an unfinished line is dropped.
                ending = .nothingTyped
                break typing
            }
        }
        if isHiding { show(before, text) }
        // The terminal's output may be stopped. So a prompt that ends without an answer does not wait until
        // the terminal has accepted the rest of the text.
        if fatal == nil, ending == nil { text.write(atMost: PromptOutput.lastPatience) }
        signals.end()
        if let fatal {
            // The signal is sent to this process again, so that it has its usual effect. If another
            // `SignalPipe` receives the same signal, nothing is sent, because the reader of that pipe decides
            // on the effect. The sleep gives the sent signal time to end the process.
            if signals.send(fatal) { Threads.sleep(microseconds: 1_000_000) }
            return .interrupted
        }
        if let ending { return ending }
        return line.isTooLong ? .tooLong : .line(line.bytes)
    }

    /// Makes the terminal pass on each key at once, without showing it. Keys such as Ctrl-C still send
    /// signals.
    ///
    /// A read must not wait for a byte. A key that sends a signal discards earlier input, even input that
    /// `poll(2)` has reported. A read that waits for a byte would then block, and the prompt would not
    /// notice the signal.
    private func hide(_ before: termios) {
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON)
        Self.setLeast(0, of: &hidden)
        set(hidden)
    }

    /// Sets the terminal's attributes, and drops earlier input. The call does not wait until earlier output
    /// is shown, because the terminal's output may be stopped.
    private func set(_ attributes: termios) {
        var attributes = attributes
        _ = unsafe tcsetattr(descriptor, TCSANOW, &attributes)
        tcflush(descriptor, TCIFLUSH)
    }

    /// Sets the number of bytes that a read waits for (VMIN), and switches the read's time limit off (VTIME).
    private static func setLeast(_ count: cc_t, of attributes: inout termios) {
        unsafe withUnsafeMutableBytes(of: &attributes.c_cc) { keys in
            unsafe keys[Int(VMIN)] = count
            unsafe keys[Int(VTIME)] = 0
        }
    }

    private func show(_ before: termios, _ text: PromptOutput) {
        set(before)
        text.say("\n")
    }

    /// Waits for the next key or signal.
    ///
    /// - Parameters:
    ///   - isBehind: whether this process is in the background of the terminal. Then no key is read, and the
    ///     call returns ``Key/quiet`` after a pause.
    ///   - patience: the time to wait; `nil` for no limit.
    private func next(
        _ signals: SignalPipe,
        _ wake: Wake,
        _ text: PromptOutput,
        isBehind: Bool,
        within patience: Duration?
    ) -> Key {
        var wait = DescriptorWait()
        wait.add(signals.descriptor)
        let terminal = wait.add(isBehind ? nil : descriptor)
        wait.add(wake.descriptor)
        let room = wait.add(text.awaited, .writable)
        while true {
            let ending = wait.wait(atMost: isBehind ? TerminalPlace.pause : patience)
            if let number = signals.next() { return .signal(number) }
            if wake.isRaised { return .cancelled }
            if ending == .timedOut { return .quiet }
            guard !wait[terminal].isEmpty else {
                if !wait[room].isEmpty { return .room }
                continue
            }
            let (byte, reading) = InputPump.Loop.read(descriptor, atMost: 1)
            if byte.count == 1 { return .byte(byte) }
            if TerminalPlace.hasFailed(reading, of: descriptor) {
                // The pause is for a terminal that fails in the foreground, too.
                Threads.sleep(microseconds: 10_000)
                return .failed
            }
            // After a failed read, each further read would fail too. For example, a process in an orphaned
            // background group cannot read the terminal.
            if case .failed = reading { return .gone }
            // A read without a byte means the end only if the terminal has hung up.
            if reading != .nothing, !wait[terminal].isDisjoint(with: .hungUp) { return .gone }
        }
    }
}
