#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads lines from a descriptor. The reader reads in blocks. It keeps at most ``longest`` bytes and one
/// block in memory.
package struct LineReader: ~Copyable {
    /// The result of a read.
    package enum Line {
        /// A line without its newline.
        case bytes(ArraySlice<UInt8>)
        /// A line that is longer than ``longest``.
        case tooLong
        /// The descriptor cannot be read.
        case failed
    }

    /// The longest line in bytes.
    package static let longest = 64 * 1024
    private static let block = 64 * 1024

    private let descriptor: Int32
    private var bytes = [UInt8](repeating: 0, count: longest + block)
    /// The index of the first byte that was read but not yet returned.
    private var start = 0
    private var end = 0
    /// The index up to which the buffer was searched for a newline.
    private var searched = 0
    private var isSkipping = false
    private var isAtEnd = false
    private var isBroken = false

    /// Makes a reader of a descriptor, which the caller keeps and closes.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next line; `nil` at the end.
    ///
    /// - Parameter beforeWaiting: called before the reader waits for more input.
    package mutating func next<E: Error>(beforeWaiting: () throws(E) -> Void) throws(E) -> Line? {
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
            if isBroken { return .failed }
        }
    }

    private mutating func given(_ line: ArraySlice<UInt8>) -> Line {
        defer { isSkipping = false }
        return isSkipping || line.count > Self.longest ? .tooLong : .bytes(line)
    }

    private mutating func fill<E: Error>(_ beforeWaiting: () throws(E) -> Void) throws(E) {
        if start > 0 {
            let (from, count) = (start, end - start)
            unsafe bytes.withUnsafeMutableBytes {
                _ = unsafe memmove($0.baseAddress!, $0.baseAddress! + from, count)
            }
            (start, end, searched) = (0, end - start, searched - start)
        }
        if !DescriptorWait.isReady(descriptor, atMost: .zero) { try beforeWaiting() }
        let place = end
        while true {
            let reading = unsafe bytes.withUnsafeMutableBytes { buffer in
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[place..<place + Self.block])
                return unsafe Descriptors.read(descriptor, into: room)
            }
            switch reading {
            case .bytes(let count): end += count
            case .end: isAtEnd = true
            case .nothing:
                // Another process that shares the open file has set `O_NONBLOCK`, so `read` did not block.
                // The reader therefore waits for input here.
                _ = DescriptorWait.isReady(descriptor)
                continue
            case .failed: isBroken = true
            }
            return
        }
    }
}
