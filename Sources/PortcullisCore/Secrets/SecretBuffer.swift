/// Memory of ``SecretHeap`` that is filled piece by piece and then becomes ``SecretBytes`` without a copy.
///
/// It is meant for data that comes in pieces of any size, as over a pipe or a socket. A secret for each piece
/// would take a block for each, however small the piece is. Only one thread may use the buffer at a time.
@safe
package final class SecretBuffer {
    // Only `makeRoom` and `finish` replace this pointer. They free the old block or hand it over.
    private var base: UnsafeMutableRawPointer
    /// The number of bytes that the block can hold.
    package private(set) var capacity: Int
    /// The number of bytes that are filled.
    package private(set) var count = 0

    /// Makes an empty buffer for this many bytes.
    package init(capacity: Int) {
        unsafe base = SecretHeap.allocate(capacity)
        self.capacity = capacity
    }

    deinit { unsafe SecretHeap.deallocate(base, capacity) }

    /// The number of bytes that can still be filled.
    package var freeCapacity: Int { capacity - count }

    /// Lets `body` write into the free part of the block.
    ///
    /// - Parameter body: gets the start and size of the free part, and returns the number of bytes that it wrote.
    @unsafe
    package func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) {
        let written = unsafe body(UnsafeMutableRawBufferPointer(start: base + count, count: freeCapacity))
        precondition((0...freeCapacity).contains(written), "more bytes than there is room for")
        count += written
    }

    /// Lends the filled bytes to `body`.
    package func withBytes<Result: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try body(unsafe Span(_unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: count))
    }

    /// Drops the first `dropped` bytes and keeps the rest. Afterwards the block has room for `room` more bytes,
    /// or for as many more as it keeps, whichever is larger.
    ///
    /// A caller that calls it only when the block is full has each byte copied once on average.
    package func makeRoom(_ room: Int, dropping dropped: Int = 0) {
        let kept = count - dropped
        let size = max(kept + room, 2 * kept)
        let larger = unsafe SecretHeap.allocate(size)
        unsafe larger.copyMemory(from: base + dropped, byteCount: kept)
        unsafe SecretHeap.deallocate(base, capacity)
        unsafe base = larger
        (capacity, count) = (size, kept)
    }

    /// Returns the filled bytes as a secret. The buffer is empty afterwards and can hold no bytes.
    package func finish() -> SecretBytes {
        // If at most half of the block is filled, a copy in a smaller block replaces it.
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
