internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Progress as numbers on the lines of standard input. A bad line is reported by its line number and skipped.
/// An empty line is skipped without a report.
///
/// A line has no date, so its number belongs to the day on which the line is read. A line that is written
/// before the machine sleeps, and read after it has woken, counts for the day of the waking.
///
/// While the process is in the background of its terminal, nothing can be read there. The first line that
/// cannot be read is reported. The input goes on when the process is in the foreground again.
public final class LineProgress: Sendable {
    /// The greatest allowed length of a line in bytes. A number is far shorter.
    public static let longest = 4_096

    private struct State: Sendable {
        var bytes: [UInt8] = []
        var number = 0
        var isSkipping = false
        var isAtEnd = false
        /// Whether the last read failed because the process is in the background of its terminal.
        var isBehind = false
    }

    /// The time between two reads in the background.
    private static let pause = Duration.seconds(1)

    private let descriptor: Int32
    private let thread = WorkerThread()
    private let stopping: Wake
    private let state = Mutex(State())

    /// Makes a source for the lines of a descriptor.
    ///
    /// - Parameter descriptor: the descriptor; by default standard input. The caller owns the descriptor and
    ///   closes it.
    /// - Throws: ``ProgressSourceError`` if the process has no descriptor left.
    public init(_ descriptor: Int32 = 0) throws(ProgressSourceError) {
        self.descriptor = descriptor
        stopping = try .wake()
    }

    /// The stream of readings. Only one task may read it. Each reading is made only when the task asks for
    /// it, so readings do not pile up. When the task is cancelled, there are no more readings.
    public var readings: AsyncStream<ProgressReading> { stream }

    func next() async -> ProgressReading? {
        await thread.run { [self] () throws(Never) in nextBlocking() }
    }

    func stop() { stopping.raise() }

    private func nextBlocking() -> ProgressReading? {
        while !stopping.isRaised {
            if let line = state.withLock({ Self.line(in: &$0) }) {
                if let reading = Self.reading(of: line) { return reading }
                continue
            }
            if state.withLock({ $0.isAtEnd }) { return nil }
            guard waitForInput() else { return nil }
            if let trouble = fill() { return trouble }
        }
        return nil
    }

    private struct Line {
        var number: Int
        /// The bytes of the line; `nil` if it was too long to keep.
        var bytes: [UInt8]?
    }

    /// Removes and returns the next complete line, or the rest at the end of the input; `nil` if there is
    /// neither.
    private static func line(in state: inout State) -> Line? {
        guard let end = state.bytes.firstIndex(of: 0x0A) else {
            if state.bytes.count > longest {
                state.isSkipping = true
                state.bytes = []
            }
            guard state.isAtEnd, state.isSkipping || !state.bytes.isEmpty else { return nil }
            return taken(&state, upTo: state.bytes.endIndex)
        }
        return taken(&state, upTo: end)
    }

    private static func taken(_ state: inout State, upTo end: Int) -> Line {
        state.number += 1
        let isTooLong = state.isSkipping || end > longest
        let line = Line(number: state.number, bytes: isTooLong ? nil : Array(state.bytes[..<end]))
        state.bytes.removeFirst(min(end + 1, state.bytes.count))
        state.isSkipping = false
        return line
    }

    /// The reading of a line; `nil` for an empty line.
    private static func reading(of line: Line) -> ProgressReading? {
        func trouble(_ message: String) -> ProgressReading {
            .trouble(
                ProgressTrouble(reason: .line(line.number), message: "line \(line.number): \(message)")
            )
        }
        guard let bytes = line.bytes else { return trouble("it is too long to be a number") }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        do throws(ProgressTrouble) {
            return .value(try ProgressNumber.read(bytes), measured: nil)
        } catch {
            return trouble(error.message)
        }
    }

    /// Waits for input. Returns `false` if the source was stopped.
    private func waitForInput() -> Bool {
        var wait = DescriptorWait()
        wait.add(descriptor)
        let stopped = wait.add(stopping.descriptor)
        while wait.wait() == .interrupted {}
        return wait[stopped].isEmpty
    }

    /// Reads waiting input. Returns a trouble at the first read that fails in the background of the terminal.
    private func fill() -> ProgressReading? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let reading = unsafe buffer.withUnsafeMutableBytes { unsafe Descriptors.read(descriptor, into: $0) }
        if TerminalPlace.hasFailed(reading, of: descriptor) {
            let isKnown = state.withLock { state in
                defer { state.isBehind = true }
                return state.isBehind
            }
            let message = "the terminal cannot be read in the background"
            guard isKnown else { return .trouble(ProgressTrouble(reason: .line(0), message: message)) }
            // The system does not report a return to the foreground. So the read is repeated after a pause.
            _ = DescriptorWait.isReady(stopping.descriptor, atMost: Self.pause)
            return nil
        }
        state.withLock { state in
            state.isBehind = false
            switch reading {
            case .bytes(let count): state.bytes += buffer[..<count]
            case .nothing: break
            case .end, .failed: state.isAtEnd = true
            }
        }
        return nil
    }
}

extension LineProgress: ProgressSource {}
