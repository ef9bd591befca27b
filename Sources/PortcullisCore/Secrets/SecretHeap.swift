#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Synchronization

/// Where the bytes of ``SecretBytes`` lie: pages of our own, apart from the ordinary heap.
///
/// Each region is mapped for this purpose, locked in memory, left out of core dumps and zeroed in forked
/// children (`mlock`, `MADV_DONTDUMP`, `MADV_WIPEONFORK`; Darwin has the first only). Blocks up to one page
/// come in sizes of powers of two out of 64 KiB regions, because a mapping per secret would cost five system
/// calls for each item read; larger ones have a mapping of their own.
///
/// The memory of a process is one thing, as `malloc`'s is, so this is the one piece of process-wide state in
/// the package. It has no settings and nothing outside can observe it but ``isLocked``.
public enum SecretHeap: Sendable {
    /// Whether every page handed out so far could be locked in memory.
    ///
    /// `false` where the process may not lock that much (`ulimit -l`): secrets are then still zeroed and kept
    /// out of core dumps, but could be written to swap. An app says so once and goes on.
    public static var isLocked: Bool { state.withLock { !$0.sawUnlockedPage } }

    static let regionSize = 64 * 1024
    private static let smallest = 32
    private static let largest = 4096

    @safe
    private struct State {
        /// Free blocks by size class, as addresses; they lie in the regions and are all zero.
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

    /// A zeroed block of at least `count` bytes.
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

    /// Zeroes a block and takes it back; `count` is what it was allocated with.
    @unsafe
    static func deallocate(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        unsafe zero(pointer, count)
        guard count <= largest else {
            unsafe munmap(pointer, count)
            return
        }
        state.withLock { $0.free[sizeClass(count)].append(UInt(bitPattern: pointer)) }
    }

    /// A mapping, in a wrapper that may leave the mutex.
    @safe
    private struct Mapping: Sendable {
        // Only handed from the mutex to the caller that asked for it.
        nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    }

    /// Memory of its own, in whole pages however many bytes are asked for.
    @unsafe
    private static func map(_ size: Int, _ state: inout State) -> Mapping {
        #if canImport(Darwin)
        let flags = MAP_PRIVATE | MAP_ANON
        #else
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        #endif
        let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            // As with `malloc` in Swift: nothing sensible can go on without memory.
            preconditionFailure("out of memory for secrets")
        }
        if unsafe mlock(mapped, size) != 0 { state.sawUnlockedPage = true }
        #if os(Linux)
        // Kernels before 3.4 and 4.14 know neither; there is nothing else to fall back to.
        _ = unsafe madvise(mapped, size, Int32(MADV_DONTDUMP))
        _ = unsafe madvise(mapped, size, Int32(MADV_WIPEONFORK))
        #endif
        return unsafe Mapping(pointer: mapped)
    }

    /// Overwrites memory with zeros in a way the optimiser keeps.
    @unsafe
    package static func zero(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        #if canImport(Darwin)
        _ = unsafe memset_s(pointer, count, 0, count)
        #else
        unsafe explicit_bzero(pointer, count)
        #endif
    }
}
