#if os(Linux)
internal import CLinux
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#endif

/// The first words of an open file, of 32 bits each, as they are now.
///
/// A write to the file can be seen half-way. There is no memory behind the end of the file: the system ends a
/// process that reads there (`SIGBUS`), so the file must be known to be long enough.
@safe
package final class SharedWords: Sendable {
    // Mapped for reading only, for as long as this lives.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    private let size: Int

    /// - Returns: `nil` where the file cannot be mapped.
    init?(_ file: Int32, words: Int) {
        #if os(Linux)
        size = words * MemoryLayout<UInt32>.size
        guard let memory = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file, 0), unsafe memory != MAP_FAILED
        else { return nil }
        unsafe base = memory
        #else
        return nil
        #endif
    }

    deinit {
        #if os(Linux)
        _ = unsafe munmap(base, size)
        #endif
    }

    /// What is in a word now. What was written before the word was written is visible after this call.
    package func load(_ index: Int) -> UInt32 {
        precondition(index * MemoryLayout<UInt32>.size < size)
        #if os(Linux)
        return UInt32(littleEndian: unsafe clinux_load(base + index * MemoryLayout<UInt32>.size))
        #else
        preconditionFailure("no words are shared here")
        #endif
    }
}
