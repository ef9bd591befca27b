#if os(Linux)
internal import CLinux
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#endif

/// The first words of an open file, of 32 bits each, with their present values.
///
/// A reader may see a part of a write that is still under way. If a process reads beyond the end of the file,
/// the system may end the process (`SIGBUS`). So callers must know that the file is long enough.
@safe
package final class SharedWords: Sendable {
    // The memory is mapped for reading only, and unmapped by `deinit`.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    private let size: Int

    /// Maps the words; fails if the file cannot be mapped.
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

    /// Returns the present value of a word. Bytes that were written to the file before this word are visible
    /// after the call.
    package func load(_ index: Int) -> UInt32 {
        precondition(index * MemoryLayout<UInt32>.size < size)
        #if os(Linux)
        return UInt32(littleEndian: unsafe clinux_load(base + index * MemoryLayout<UInt32>.size))
        #else
        preconditionFailure("no words are shared here")
        #endif
    }
}
