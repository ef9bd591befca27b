/// Bytes that must not be seen: a passcode, a key, an item's value.
///
/// The bytes are fixed at creation, lie in memory of ``SecretHeap`` (locked, kept out of core dumps and of
/// forked children where the platform allows it) and are overwritten with zeros when the last reference goes.
/// A description, a dump and a mirror show the number of bytes only; there is no `Codable` conformance and no
/// `==`, because both would invite a copy or a comparison in variable time. Compare with ``matches(_:)``.
///
/// It is a final class and not a non-copyable value because such values cannot travel through task groups,
/// continuations and dictionaries; what is shared is one buffer, never a copy of it.
@safe
public final class SecretBytes: Sendable {
    // Written only inside `init`, read only afterwards; the pointer itself never changes.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    /// The number of bytes.
    public let count: Int

    /// Makes a secret of up to `capacity` bytes that `body` writes straight into protected memory.
    ///
    /// - Parameters:
    ///   - capacity: the most bytes that `body` appends; 0 is allowed.
    ///   - body: appends the bytes. ``count`` is what it appended. What it throws is passed on, and what it
    ///     had written by then is zeroed.
    public init<E: Error>(
        capacity: Int,
        filling body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        precondition(capacity >= 0, "a secret cannot have a negative size")
        let memory = unsafe SecretHeap.allocate(capacity)
        let buffer = unsafe UnsafeMutableBufferPointer(
            start: memory.assumingMemoryBound(to: UInt8.self),
            count: capacity
        )
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        do {
            try body(&output)
        } catch {
            // No other code has seen the memory; giving it back zeroes it.
            _ = unsafe output.finalize(for: buffer)
            unsafe SecretHeap.deallocate(memory, capacity)
            throw error
        }
        self.count = unsafe output.finalize(for: buffer)
        self.capacity = capacity
        unsafe self.base = memory
    }

    private let capacity: Int

    /// Takes over a block of ``SecretHeap``, whose first bytes these are.
    @unsafe
    init(adopting base: UnsafeMutableRawPointer, capacity: Int, count: Int) {
        (self.capacity, self.count) = (capacity, count)
        unsafe self.base = base
    }

    /// Copies bytes that lie elsewhere; the caller's copy stays the caller's to clear.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count) { (output: inout OutputSpan<UInt8>) in
            let isCopied: Void? = bytes.withContiguousStorageIfAvailable {
                unsafe output.append(copying: $0)
            }
            if isCopied == nil { for byte in bytes { output.append(byte) } }
        }
    }

    /// Copies the bytes of a span, for instance a part of another secret.
    public convenience init(copying bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { (output: inout OutputSpan<UInt8>) in
            unsafe bytes.withUnsafeBufferPointer { unsafe output.append(copying: $0) }
        }
    }

    /// Makes `count` random bytes.
    ///
    /// - Parameters:
    ///   - count: how many bytes.
    ///   - generator: where the randomness comes from; it must be cryptographically secure outside
    ///     tests, as the system's generator is.
    public convenience init(randomCount count: Int, using generator: inout some RandomNumberGenerator) {
        self.init(capacity: count) { (output: inout OutputSpan<UInt8>) in
            while output.freeCapacity > 0 {
                let word: UInt64 = generator.next()
                for shift in 0..<min(8, output.freeCapacity) {
                    output.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift))))
                }
            }
        }
    }

    /// Makes `count` random bytes from the system's secure generator.
    public convenience init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(randomCount: count, using: &generator)
    }

    deinit {
        unsafe SecretHeap.deallocate(base, capacity)
    }

    /// Lends the bytes to `body`, which must not copy them to ordinary memory without zeroing the copy after
    /// use.
    public func withBytes<Result: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try body(unsafe Span(_unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// Whether both hold the same bytes, in a time that depends on their lengths only.
    public func matches(_ other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return withBytes { mine in
            other.withBytes { theirs in
                var difference: UInt8 = 0
                for index in 0..<mine.count {
                    difference |= mine[index] ^ theirs[index]
                }
                return difference == 0
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size only: `SecretBytes(6 bytes)`.
    public var description: String { "SecretBytes(\(count) bytes)" }

    /// The size only, as in ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutputSpan<UInt8> {
    /// Appends all bytes of a buffer at once; they must fit.
    @unsafe
    fileprivate mutating func append(copying bytes: UnsafeBufferPointer<UInt8>) {
        unsafe withUnsafeMutableBufferPointer { output, count in
            precondition(bytes.count <= output.count - count, "more bytes than there is room for")
            guard let source = bytes.baseAddress, let target = output.baseAddress else { return }
            unsafe (target + count).initialize(from: source, count: bytes.count)
            count += bytes.count
        }
    }
}
