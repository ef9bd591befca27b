/// What a chip, or the way to it, answered in the place of what it was asked for.
struct ChipFailure: Error, Hashable, CustomStringConvertible {
    /// Where it comes from.
    enum Kind: Sendable, Hashable {
        /// The chip's own code.
        case response(UInt32)
        /// The loader of TCTIs, or the TCTI that was named, is not installed: what has to be.
        case library(missing: String)
        /// No chip could be reached; the system's number where it is known.
        case unreachable(errno: Int32)
        /// The chip did not answer in time.
        case busy
        /// The connection broke.
        case lost
        /// What came is no answer of the chip that holds the key.
        case forged
        /// The library that encrypts failed.
        case cryptography
    }

    let kind: Kind
    /// What was asked for.
    var command = "the chip"

    /// An answer that is none.
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

/// The codes of a TPM that make a difference (TPM 2.0 Part 2, 6.6).
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
    /// The chip's code without the number of the handle, parameter or session that it is about.
    var code: ChipCode? {
        guard case .response(let response) = kind else { return nil }
        // With bit 7 set the low six bits are the code, and the others say what it is about.
        return ChipCode(rawValue: response & 0x80 == 0 ? response & 0xFFF : response & 0x3F | 0x80)
    }

    /// Whether the same command may be sent again.
    var isTransient: Bool {
        switch code {
        case .yielded, .testing, .nvRate, .retry, .nvUnavailable: true
        default: false
        }
    }

    /// Whether an authorization was wrong.
    var isWrongAuthorization: Bool { code == .authFail || code == .badAuth }

    /// Whether there is nothing under a handle that was named.
    var isNoSuchHandle: Bool { code == .handle || code == .referenceH0 }

    /// Whether the chip has no room.
    var isFull: Bool {
        switch code {
        case .nvSpace, .objectMemory, .sessionMemory, .memory, .sessionHandles, .objectHandles: true
        default: false
        }
    }
}
