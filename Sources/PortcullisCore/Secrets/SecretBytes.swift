/// Secret bytes, such as a passcode, a key or an item's value.
///
/// The bytes are fixed at creation. They lie in memory of ``SecretHeap`` (locked, and kept out of core dumps
/// and forked children where the platform allows it). They are overwritten with zeros when the last reference
/// is released. A description, a dump and a mirror show only the number of bytes.
///
/// The type is not `Codable`, because encoding would copy the bytes to ordinary memory. It has no `==`,
/// because the time of such a comparison could depend on the bytes. Use ``matches(_:)`` to compare.
///
/// The type is a final class, because a non-copyable value could not pass through task groups, continuations
/// and dictionaries. All references share one buffer, so the bytes are not copied.
@safe
public final class SecretBytes: Sendable {
    // Several threads may use the pointer, because it never changes, and the memory is only read between
    // `init` and `deinit`.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer

    /// The number of bytes.
    public let count: Int

    /// Makes a secret of up to `capacity` bytes. `body` writes them straight into protected memory.
    ///
    /// - Parameters:
    ///   - capacity: the greatest number of bytes that `body` may append; 0 is allowed.
    ///   - body: appends the bytes; ``count`` is then the number of appended bytes. An error of `body` is
    ///     passed on, and the bytes appended so far are zeroed.
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
            // The memory can be freed at once, because no other code has its address. `deallocate` zeroes it
            // first.
            _ = unsafe output.finalize(for: buffer)
            unsafe SecretHeap.deallocate(memory, capacity)
            throw error
        }
        self.count = unsafe output.finalize(for: buffer)
        self.capacity = capacity
        unsafe self.base = memory
    }

    private let capacity: Int

    /// Takes over a block of ``SecretHeap``. Its first `count` bytes are the secret.
    @unsafe
    init(adopting base: UnsafeMutableRawPointer, capacity: Int, count: Int) {
        (self.capacity, self.count) = (capacity, count)
        unsafe self.base = base
    }

    /// Copies bytes from other memory. The caller must zero the original bytes afterwards.
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
    ///   - count: the number of bytes.
    ///   - generator: the source of the random bytes. Outside of tests it must be cryptographically secure,
    ///     as the system's generator is.
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

    /// Lends the bytes to `body`. If `body` copies them to ordinary memory, it must zero the copy after use.
    public func withBytes<Result: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try body(unsafe Span(_unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// Whether both secrets hold the same bytes. The time depends only on their lengths.
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
    /// The number of bytes only, such as `SecretBytes(6 bytes)`.
    public var description: String { "SecretBytes(\(count) bytes)" }

    /// The number of bytes only, as in ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OutputSpan<UInt8> {
    /// Appends all bytes of a buffer at once. The free part of the span must be large enough.
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
