/// The failure of a command: an error code of the chip, or an error outside of the chip, such as a broken
/// connection.
struct ChipFailure: Error, Hashable, CustomStringConvertible {
    /// The cause of the failure.
    enum Kind: Sendable, Hashable {
        /// The chip answered with this error code.
        case response(UInt32)
        /// A library of tpm2-tss is not installed: the loader of TCTIs, or the TCTI that the address names.
        /// `missing` is the name of the library's package.
        case library(missing: String)
        /// No connection to a chip could be made. `errno` is 0 if the system gave no number.
        case unreachable(errno: Int32)
        /// The chip did not answer in time.
        case busy
        /// The connection broke.
        case lost
        /// The answer is malformed, or does not come from the chip that holds the key.
        case forged
        /// libgcrypt failed.
        case cryptography
    }

    let kind: Kind
    /// The command that failed.
    var command = "the chip"

    /// The failure for an answer that cannot be decoded.
    static let garbled = ChipFailure(kind: .forged)

    var description: String {
        switch kind {
        case .response(let code): "\(command): 0x\(String(code, radix: 16))"
        case .library(let missing): "\(missing) is not installed"
        case .unreachable: "no chip could be reached"
        case .busy: "\(command): no answer came in time"
        case .lost: "\(command): the connection broke"
        case .forged: "\(command): the answer is not the chip's"
        case .cryptography: "\(command): libgcrypt failed"
        }
    }
}

/// The error codes of a TPM that this library distinguishes (TPM 2.0 Part 2, 6.6).
enum ChipCode: UInt32, Sendable {
    case initialise = 0x100
    case failure = 0x101
    case authUnavailable = 0x12F
    case nvUninitialised = 0x14A
    case nvSpace = 0x14B
    case nvDefined = 0x14C
    case value = 0x084
    case hierarchy = 0x085
    case handle = 0x08B
    case authFail = 0x08E
    case attributes = 0x082
    case size = 0x095
    case integrity = 0x09F
    case badAuth = 0x0A2
    case objectMemory = 0x902
    case sessionMemory = 0x903
    case memory = 0x904
    case sessionHandles = 0x905
    case objectHandles = 0x906
    case yielded = 0x908
    case testing = 0x90A
    case referenceH0 = 0x910
    case nvRate = 0x920
    case lockout = 0x921
    case retry = 0x922
    case nvUnavailable = 0x923
}

extension ChipFailure {
    /// The chip's error code, without the number of the handle, parameter or session that it refers to.
    var code: ChipCode? {
        guard case .response(let response) = kind else { return nil }
        // If bit 7 is set, the low six bits are the error's number. The other bits say which handle,
        // parameter or session caused the error.
        return ChipCode(rawValue: response & 0x80 == 0 ? response & 0xFFF : response & 0x3F | 0x80)
    }

    /// Whether the same command may succeed when it is sent again.
    var isTransient: Bool {
        switch code {
        case .yielded, .testing, .nvRate, .retry, .nvUnavailable: true
        default: false
        }
    }

    /// Whether the chip has no memory for another session or loaded object.
    var isShortOfMemory: Bool { code == .objectMemory || code == .sessionMemory || code == .memory }

    /// Whether an authorization was wrong.
    var isWrongAuthorization: Bool { code == .authFail || code == .badAuth }

    /// Whether a handle in the command does not exist.
    var isNoSuchHandle: Bool { code == .handle || code == .referenceH0 }

    /// Whether the chip has no free memory or no free handle.
    var isFull: Bool {
        switch code {
        case .nvSpace, .sessionHandles, .objectHandles: true
        default: isShortOfMemory
        }
    }
}
