#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization

/// The memory that holds the bytes of ``SecretBytes``. Its pages are separate from the ordinary heap.
///
/// All pages are mapped for secrets alone, locked in memory, left out of core dumps and zeroed in forked
/// children (`mlock`, `MADV_DONTDUMP`, `MADV_WIPEONFORK`; Darwin has only `mlock`). A region is one mapping
/// of 64 KiB, which is divided into blocks of equal size. The size is a power of two, at most 4 KiB. A
/// mapping for each block would cost five system calls for each item that is read. Only a block of more than
/// 4 KiB has its own mapping.
///
/// Like the heap of `malloc`, this heap exists once in a process. This module has no other global state. The
/// heap has no settings, and other code can observe only ``isLocked``.
public enum SecretHeap: Sendable {
    /// Whether every page so far could be locked in memory.
    ///
    /// It is `false` if the process may not lock that much memory (`ulimit -l`). Secrets are then still
    /// zeroed and kept out of core dumps, but could be written to swap. An app should report this once and
    /// continue.
    public static var isLocked: Bool { state.withLock { !$0.sawUnlockedPage } }

    static let regionSize = 64 * 1024
    private static let smallest = 32
    private static let largest = 4096

    @safe
    private struct State {
        /// The addresses of the free blocks in the regions, one list for each size class. Free blocks contain
        /// only zeros.
        var free: [[UInt]] = Array(repeating: [], count: 8)
        var sawUnlockedPage = false
    }

    private static let state = Mutex(State())

    private static func sizeClass(_ count: Int) -> Int {
        var size = smallest
        var index = 0
        while size < count {
            size *= 2
            index += 1
        }
        return index
    }

    /// Returns a zeroed block of at least `count` bytes.
    @unsafe
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard count <= largest else {
            return unsafe state.withLock { unsafe map(count, &$0) }.pointer
        }
        let index = sizeClass(count)
        let address = state.withLock { state -> UInt in
            if state.free[index].isEmpty {
                let region = unsafe map(regionSize, &state).pointer
                let block = smallest << index
                let first = UInt(bitPattern: region)
                state.free[index] = stride(from: first, to: first + UInt(regionSize), by: block).reversed()
            }
            return state.free[index].removeLast()
        }
        return unsafe UnsafeMutableRawPointer(bitPattern: address)!
    }

    /// Zeroes a block and frees it. `count` is the size that was given to ``allocate(_:)``.
    @unsafe
    static func deallocate(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        unsafe zero(pointer, count)
        guard count <= largest else {
            unsafe munmap(pointer, count)
            return
        }
        state.withLock { $0.free[sizeClass(count)].append(UInt(bitPattern: pointer)) }
    }

    /// A pointer to mapped memory. The wrapper is `Sendable`, so that the closure of the mutex can return it.
    @safe
    private struct Mapping: Sendable {
        // Only the caller that requested the mapping gets the pointer, so no two threads share it.
        nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    }

    /// Maps whole pages of new memory, at least `size` bytes.
    @unsafe
    private static func map(_ size: Int, _ state: inout State) -> Mapping {
        #if canImport(Darwin)
        let flags = MAP_PRIVATE | MAP_ANON
        #else
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        #endif
        let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            // Without memory the process cannot continue. Swift treats a failed `malloc` in the same way.
            preconditionFailure("out of memory for secrets")
        }
        #if os(Linux)
        // The kernel limits the number of mappings of a process (`vm.max_map_count`). It joins a new mapping
        // with its neighbour, but only while the new mapping has no pages. `mlock` gives the mapping its
        // pages, so `madvise` comes before `mlock`.
        // Kernels before 3.4 lack MADV_DONTDUMP, and kernels before 4.14 lack MADV_WIPEONFORK. The failure is
        // ignored, because such a kernel has no other call for the same purpose.
        _ = unsafe madvise(mapped, size, Int32(MADV_DONTDUMP))
        _ = unsafe madvise(mapped, size, Int32(MADV_WIPEONFORK))
        #endif
        if unsafe mlock(mapped, size) != 0 { state.sawUnlockedPage = true }
        return unsafe Mapping(pointer: mapped)
    }

    /// Overwrites memory with zeros. The optimiser does not remove this write.
    @unsafe
    package static func zero(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        #if canImport(Darwin)
        _ = unsafe memset_s(pointer, count, 0, count)
        #else
        unsafe explicit_bzero(pointer, count)
        #endif
    }
}
