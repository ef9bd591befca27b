#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

extension SecretBytes {
    /// The bytes where they lie, as Foundation takes them, to be read only: a change would be written into the secret.
    ///
    /// They stay as long as the data does, and are zeroed as any secret's. Of fourteen bytes or less, which no body with a
    /// secret has, Foundation makes a copy of its own.
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
