/// Memory of ``SecretHeap`` that is filled piece by piece. At the end ``finish()`` makes ``SecretBytes`` of
/// it. If more than half of the memory is filled, ``finish()`` copies no bytes.
///
/// The buffer is meant for data that comes in pieces of any size, as over a pipe or a socket. If each piece
/// were a secret of its own, even a tiny piece would take a whole block of the heap. Only one thread may use
/// the buffer at a time.
@safe
package final class SecretBuffer {
    // The buffer always owns the block at this pointer. When `makeRoom` frees the block, or `finish` gives it
    // to a secret, the pointer is set to a new block.
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

    /// Drops the first `dropped` bytes and moves the rest to a new block. The free capacity of the new block
    /// is `room` bytes, or the number of kept bytes if that is larger.
    ///
    /// If a caller makes room only when the block is full, each byte is copied once on average.
    package func makeRoom(_ room: Int, dropping dropped: Int = 0) {
        let kept = count - dropped
        let size = max(kept + room, 2 * kept)
        let larger = unsafe SecretHeap.allocate(size)
        unsafe larger.copyMemory(from: base + dropped, byteCount: kept)
        unsafe SecretHeap.deallocate(base, capacity)
        unsafe base = larger
        (capacity, count) = (size, kept)
    }

    /// Returns the filled bytes as a secret. Afterwards the buffer is empty and its capacity is 0.
    package func finish() -> SecretBytes {
        // If at most half of the block is filled, the secret is a copy in a smaller block, to save memory.
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
