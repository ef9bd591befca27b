internal import AdapterKit
internal import PortcullisCore
internal import Synchronization
internal import TerminalHost

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads secrets from standard input, a file or a hidden prompt, straight into protected memory.
///
/// Reading blocks, so it happens on a thread of its own.
final class SecretInput: Sendable {
    /// Why there is no secret.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// Whether the person ended the prompt with Ctrl-C.
        var isInterrupt = false

        /// A prompt that ended without a line.
        static let nothingTyped = Failure(description: "nothing was typed")
        static let tooLong = Failure(description: "the line is too long")
        static let tooLarge = Failure(description: "the value is longer than \(longestValue >> 20) MiB")
        static let interrupted = Failure(description: "interrupted", isInterrupt: true)
    }

    /// A value, or a record of a stream: a value in base64 and its name.
    private static let longestValue = 64 * 1024 * 1024
    private static let chunk = 64 * 1024

    private let thread = WorkerThread()
    private let descriptor: CInt
    private let ownsDescriptor: Bool
    private let records = Mutex(RecordReader())

    /// Standard input.
    init() {
        descriptor = STDIN_FILENO
        ownsDescriptor = false
    }

    /// A file, or standard input for `-`.
    init(path: String) throws(Failure) {
        guard path != "-" else {
            descriptor = STDIN_FILENO
            ownsDescriptor = false
            return
        }
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        ownsDescriptor = true
        guard descriptor >= 0 else {
            throw Failure(description: unsafe String(cString: strerror(errno)))
        }
    }

    deinit {
        if ownsDescriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// A line: from a hidden prompt on a terminal, else the next line of the input. What follows it is left
    /// for the next read.
    ///
    /// - Parameter prompt: shown on the terminal, without the colon.
    func line(prompt: String) async throws(Failure) -> SecretBytes {
        if isTerminal { return try await hiddenLine(prompt) }
        return try await thread.run { [descriptor] () throws(Failure) in
            guard let line = try Self.plainLine(descriptor) else {
                let place = descriptor == STDIN_FILENO ? " on standard input" : ""
                throw Failure(description: "the \(prompt.withinSentence) is missing\(place)")
            }
            return line
        }
    }

    private func hiddenLine(_ prompt: String) async throws(Failure) -> SecretBytes {
        let answer: HiddenPrompt.Answer
        do throws(TerminalHostError) {
            answer = try await HiddenPrompt(input: descriptor).line(prompt)
        } catch {
            throw Failure(description: error.message)
        }
        switch answer {
        case .line(let line): return line
        case .tooLong: throw .tooLong
        case .interrupted: throw .interrupted
        case .nothingTyped: throw .nothingTyped
        }
    }

    /// A line that is to be kept, and cannot be looked at: a hidden prompt asks for it twice, and anew where the two differ;
    /// it takes an empty one at once.
    ///
    /// - Parameter prompt: shown on the terminal, without the colon.
    func newLine(prompt: String) async throws(Failure) -> SecretBytes {
        while true {
            let line = try await line(prompt: prompt)
            guard isTerminal, line.count > 0 else { return line }
            if line.matches(try await self.line(prompt: "\(prompt) again")) { return line }
            // To leave would hand what is typed next to a shell, which shows it.
            StandardError.write("portcullis: the two entries differ; try again")
        }
    }

    /// All there is, as it is; at a terminal a line of a hidden prompt.
    func everything(prompt: String) async throws(Failure) -> SecretBytes {
        if isTerminal { return try await line(prompt: prompt) }
        return try await thread.run { [descriptor] () throws(Failure) in
            let buffer = SecretBuffer(capacity: Self.chunk)
            while try Self.fill(buffer, from: descriptor) {
                guard buffer.count <= Self.longestValue else { throw .tooLarge }
                if buffer.freeCapacity == 0 { buffer.makeRoom(Self.chunk) }
            }
            return buffer.finish()
        }
    }

    /// The next line of a long stream, without its end; `nil` at the end. Empty lines are passed over.
    func record() async throws(Failure) -> SecretBytes? {
        try await thread.run { () throws(Failure) in
            try self.records.withLock { (records) throws(Failure) in
                while true {
                    let line = try records.next(longest: Self.longestValue) { (buffer) throws(Failure) in
                        try Self.fill(buffer, from: self.descriptor)
                    }
                    guard let line else { return nil }
                    if line.count > 0 { return line }
                }
            }
        }
    }

    /// Byte by byte, so that nothing beyond the line is taken; `nil` where nothing follows.
    private static func plainLine(_ descriptor: CInt) throws(Failure) -> SecretBytes? {
        var sawAnything = false
        var isTooLong = false
        let line = SecretBytes(capacity: HiddenPrompt.longest + 1) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                // The byte after the last one is where each new one arrives: nothing is copied.
                while retrying({ unsafe Self.read(descriptor, buffer.baseAddress! + count, 1) }) == 1 {
                    sawAnything = true
                    if unsafe buffer[count] == UInt8(ascii: "\n") { break }
                    guard count < HiddenPrompt.longest else {
                        isTooLong = true
                        break
                    }
                    count += 1
                }
            }
        }
        guard sawAnything else { return nil }
        if isTooLong { throw .tooLong }
        guard line.count > 0, line.firstIndex(of: 0x0D, from: line.count - 1) != nil else { return line }
        return line.part(0..<line.count - 1)
    }

    /// Puts what comes next into a buffer that has room; returns whether there was anything.
    private static func fill(_ buffer: SecretBuffer, from descriptor: CInt) throws(Failure) -> Bool {
        var result = 0
        unsafe buffer.fill { room in
            unsafe room.withMemoryRebound(to: UInt8.self) { room in
                result = retrying { unsafe Self.read(descriptor, room.baseAddress!, room.count) }
            }
            return max(0, result)
        }
        guard result >= 0 else { throw Failure(description: unsafe String(cString: strerror(errno))) }
        return result > 0
    }

    @unsafe
    private static func read(_ descriptor: CInt, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(descriptor, start, count)
        #elseif canImport(Musl)
        unsafe Musl.read(descriptor, start, count)
        #else
        unsafe Darwin.read(descriptor, start, count)
        #endif
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result < 0, errno == EINTR { continue }
            return result
        }
    }
}

extension SecretBytes {
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        withBytes { bytes in (start..<bytes.count).first { bytes[$0] == byte } }
    }
}
