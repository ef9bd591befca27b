#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

extension SecretBytes {
    /// The bytes as `Data`, without a copy. The caller must only read them, because a change would alter the
    /// secret.
    ///
    /// The secret lives at least as long as the data, and is zeroed as usual. Foundation copies data of up to
    /// fourteen bytes, but every body with a secret is longer.
    var data: Data {
        withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) else {
                    return Data()
                }
                return unsafe Data(
                    bytesNoCopy: start,
                    count: bytes.count,
                    deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} }
                )
            }
        }
    }
}
