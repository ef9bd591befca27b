/// Memory of ``SecretHeap`` that is filled piece by piece, and becomes ``SecretBytes`` as it lies.
///
/// For what comes in pieces of any size, as over a pipe or a socket: a secret for each of them would take a block of its own,
/// however small it is. Used by one thread at a time.
@safe
package final class SecretBuffer {
    // Replaced by `makeRoom` and `finish` only, which give the old block back.
    private var base: UnsafeMutableRawPointer
    /// How many bytes there is memory for.
    package private(set) var capacity: Int
    /// How many there are.
    package private(set) var count = 0

    /// An empty buffer with room for so many bytes.
    package init(capacity: Int) {
        unsafe base = SecretHeap.allocate(capacity)
        self.capacity = capacity
    }

    deinit { unsafe SecretHeap.deallocate(base, capacity) }

    /// For how many bytes more there is room.
    package var freeCapacity: Int { capacity - count }

    /// Has `body` write into the room behind what is there.
    ///
    /// - Parameter body: gets the start of the room and its size, and returns how much of it was written.
    @unsafe
    package func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
        let written = unsafe body(UnsafeMutableRawBufferPointer(start: base + count, count: freeCapacity))
        precondition((0...freeCapacity).contains(written), "more bytes than there is room for")
        count += written
    }

    /// Lends what is there to `body`.
    package func withBytes<Result: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try body(unsafe Span(_unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// Drops the first bytes, and has room for so many more and for twice as many as are left.
    ///
    /// A caller that asks for it only when no room is left has each byte copied once on average, however much comes in the end.
    package func makeRoom(_ room: Int, dropping dropped: Int = 0) {
        let kept = count - dropped
        let size = max(kept + room, 2 * kept)
        let larger = unsafe SecretHeap.allocate(size)
        unsafe larger.copyMemory(from: base + dropped, byteCount: kept)
        unsafe SecretHeap.deallocate(base, capacity)
        unsafe base = larger
        (capacity, count) = (size, kept)
    }

    /// All there is, as a secret; the buffer is empty afterwards, and has no room.
    package func finish() -> SecretBytes {
        // A block that is mostly room is not worth keeping.
        guard count > capacity / 2 else {
            defer { makeRoom(0, dropping: count) }
            return withBytes { SecretBytes(copying: $0) }
        }
        let secret = unsafe SecretBytes(adopting: base, capacity: capacity, count: count)
        unsafe base = SecretHeap.allocate(0)
        (capacity, count) = (0, 0)
        return secret
    }
}
