internal import LinuxSystem

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Lines of standard input, read in blocks; never more than one long line is kept.
struct LineReader: ~Copyable {
    enum Line {
        /// Without its end.
        case bytes(ArraySlice<UInt8>)
        case tooLong
    }

    /// The longest line.
    static let longest = 64 * 1024
    private static let block = 64 * 1024

    private var bytes = [UInt8](repeating: 0, count: longest + block)
    /// What was read and not yet given out.
    private var start = 0
    private var end = 0
    /// Up to where there is no line's end.
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false

    /// The next line; `nil` at the end.
    ///
    /// - Parameter beforeWaiting: called before it waits for more input.
    mutating func next(beforeWaiting: () throws(ToolFailure) -> Void) throws(ToolFailure) -> Line? {
        while true {
            if let newline = bytes[searched..<end].firstIndex(of: UInt8(ascii: "\n")) {
                let line = bytes[start..<newline]
                (start, searched) = (newline + 1, newline + 1)
                return given(line)
            }
            if isSkipping || end - start > Self.longest {
                isSkipping = true
                (start, end) = (0, 0)
            }
            searched = end
            guard !isAtEnd else {
                guard isSkipping || start < end else { return nil }
                let line = bytes[start..<end]
                start = end
                return given(line)
            }
            try fill(beforeWaiting)
        }
    }

    private mutating func given(_ line: ArraySlice<UInt8>) -> Line {
        defer { isSkipping = false }
        return isSkipping || line.count > Self.longest ? .tooLong : .bytes(line)
    }

    private mutating func fill(_ beforeWaiting: () throws(ToolFailure) -> Void) throws(ToolFailure) {
        if start > 0 {
            let (from, count) = (start, end - start)
            unsafe bytes.withUnsafeMutableBytes {
                _ = unsafe memmove($0.baseAddress!, $0.baseAddress! + from, count)
            }
            (start, end, searched) = (0, end - start, searched - start)
        }
        if !DescriptorWait.isReady(STDIN_FILENO, atMost: .zero) { try beforeWaiting() }
        let place = end
        while true {
            let reading = unsafe bytes.withUnsafeMutableBytes { buffer in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[place..<place + Self.block])
                return unsafe Descriptors.read(STDIN_FILENO, into: room)
            }
            switch reading {
            case .bytes(let count): end += count
            case .end: isAtEnd = true
            case .nothing:
                // Another process that shares the descriptor has set `O_NONBLOCK`.
                _ = DescriptorWait.isReady(STDIN_FILENO)
                continue
            case .failed: throw ToolFailure("standard input cannot be read", .refused)
            }
            return
        }
    }
}
