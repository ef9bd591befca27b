internal import CTSS
internal import LinuxSystem
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A connection through a TCTI of tpm2-tss. The first connection loads the libraries.
@safe
final class TCTILine: ChipLine {
    private let connection: UnsafeMutableRawPointer
    /// The largest answer of a chip, in bytes.
    private static let largest = 4096

    /// Connects to a chip.
    init(_ address: TPMAddress) throws(ChipFailure) {
        guard ctss_load() == 0 else { throw ChipFailure(kind: .library(missing: "libtss2-tctildr0")) }
        var connection: UnsafeMutableRawPointer?
        let code = Descriptors.withoutStandardNumbers {
            unsafe ctss_connect(address.text, &connection)
        }
        guard code == 0, let connection = unsafe connection else { throw Self.failure(to: address) }
        unsafe self.connection = connection
    }

    deinit { unsafe ctss_disconnect(connection) }

    func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
        let sent = unsafe command.span.bytes.withUnsafeBytes { bytes in
            unsafe ctss_send(connection, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        guard sent == 0 else { throw ChipFailure(kind: .lost) }
        var answer = [UInt8](repeating: 0, count: Self.largest)
        var count = answer.count
        let received = unsafe answer.withUnsafeMutableBufferPointer { buffer in
            unsafe ctss_receive(connection, buffer.baseAddress, &count)
        }
        guard received == 0, count >= 10, count <= answer.count else { throw ChipFailure(kind: .lost) }
        return Array(answer[..<count])
    }

    /// Determines why a connection could not be made. The loader of TCTIs does not report the cause.
    private static func failure(to address: TPMAddress) -> ChipFailure {
        let library = "libtss2-tcti-\(address.name)"
        guard unsafe ctss_has_library("\(library).so.0") != 0 else {
            return ChipFailure(kind: .library(missing: "\(library)0"))
        }
        guard let device = address.device else { return ChipFailure(kind: .unreachable(errno: 0)) }
        let descriptor = unsafe open(device, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return ChipFailure(kind: .unreachable(errno: errno)) }
        close(descriptor)
        return ChipFailure(kind: .unreachable(errno: 0))
    }
}
