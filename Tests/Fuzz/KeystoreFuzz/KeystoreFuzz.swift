internal import CFuzzer
import Foundation
@testable import GcryptKeystore
import PortcullisCore

/// Which reader gets the bytes; the first byte of an input says so.
private enum Reader: UInt8, CaseIterable {
    /// The whole file.
    case file
    /// Bytes flipped in the known file, three of the input for each: where, and with what.
    case flips
    /// Frames behind the known file's header.
    case frames
    /// What lies between the version and the MAC of both header pages, with MAC and digest made right.
    case header
    /// A frame's directory, as it is after decryption.
    case directory
    /// The items of a backup, as they are after decryption. A commit takes less than the longest input, so the limit is met too.
    case backup
    /// An anchor.
    case anchor
    /// What lies between magic and MAC of an anchor, with the MAC made right.
    case witness
}

/// Reads the bytes as one of the things that come from a file; no error but the store's own may come of it.
private func fuzzKeystore(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    let reader = Reader.allCases[Int(input[0]) % Reader.allCases.count]
    let payload = Array(input.dropFirst())
    do throws(SecretStoreError) {
        switch reader {
        case .file: try KnownStore.open(payload)
        case .flips:
            var file = KnownStore.file
            for at in stride(from: 0, through: payload.count - 3, by: 3) {
                let place = Int(payload[at]) << 8 | Int(payload[at + 1])
                file[place % file.count] ^= payload[at + 2]
            }
            try KnownStore.open(file)
        case .frames: try KnownStore.open(KnownStore.file[..<8192] + payload)
        case .header: try KnownStore.open(KnownStore.file(withHeader: payload))
        case .directory: _ = Record.decode(payload, sealedBytes: 64 * (1 + payload.count))
        case .backup: _ = try GcryptKeystore.decode(payload.span, limit: 4096, "backup")
        case .anchor: _ = try KnownStore.anchor.witness(in: payload)
        case .witness: _ = try KnownStore.anchor.witness(in: KnownStore.anchor(saying: payload))
        }
    } catch {
        precondition(!error.message.isEmpty, "an error without words")
        precondition(error.code != .systemFailure, "no fault of the system's: \(error)")
    }
    return 0
}

@main
enum KeystoreFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzKeystore($0, $1) })
    }
}
