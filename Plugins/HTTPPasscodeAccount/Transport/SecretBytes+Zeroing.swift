#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SecretBytes {
    /// A copy that is zeroed when the last holder lets go.
    func zeroingData() -> Data {
        withBytes { bytes in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
            for index in 0..<bytes.count { unsafe copy[index] = bytes[index] }
            guard let start = copy.baseAddress else { return Data() }
            return unsafe Data(
                bytesNoCopy: start,
                count: bytes.count,
                deallocator: .custom { memory, count in
                    unsafe zero(memory, count)
                    unsafe memory.deallocate()
                }
            )
        }
    }
}

/// Overwrites memory in a way that the optimiser keeps.
@unsafe
func zero(_ memory: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = unsafe memset_s(memory, count, 0, count)
    #else
    unsafe explicit_bzero(memory, count)
    #endif
}
