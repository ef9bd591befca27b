/// Why a ``PasscodeSealer`` could not seal or open a key.
///
/// A wrong passcode is an ordinary result, not an error.
public typealias PasscodeSealerError = CodedError<PasscodeSealerErrorCode>

/// The codes of a ``PasscodeSealerError``. An adapter can add its own.
public struct PasscodeSealerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The parameters are outside ``Argon2Parameters/saneBounds``; nothing was derived.
    public static let refusedParameters = Self("refusedParameters")
    /// The sealed key names an algorithm or a layout that this sealer does not know, or the sealer cannot
    /// check the hashes of other apps.
    public static let unknownAlgorithm = Self("unknownAlgorithm")
    /// A part of the sealed key, or an argument of the call, has the wrong size.
    public static let malformed = Self("malformed")
    /// The system did not provide the memory that the parameters require.
    public static let outOfMemory = Self("outOfMemory")
    /// The task was cancelled before the derivation began.
    public static let cancelled = Self("cancelled")
    /// No sealer was configured.
    public static let unavailable = Self("unavailable")
    /// The underlying library or system failed. The message has the details.
    public static let systemFailure = Self("systemFailure")

    /// The key was sealed without a recovery passphrase.
    public static let notRecoverable = Self("notRecoverable")

    // MARK: Hardware

    /// The hardware that the key is sealed in is missing, or the process cannot reach it.
    public static let hardwareMissing = Self("hardwareMissing")
    /// Other programs keep the hardware busy. The call can be repeated later.
    public static let hardwareBusy = Self("hardwareBusy")
    /// The hardware has no space for another key.
    public static let hardwareFull = Self("hardwareFull")
    /// The hardware reports that it has failed.
    public static let hardwareFailed = Self("hardwareFailed")
    /// The process has no permission to use the hardware.
    public static let hardwareNotPermitted = Self("hardwareNotPermitted")
    /// The hardware's owner has set an authorization value that the process does not have.
    public static let hardwareOwned = Self("hardwareOwned")
    /// The hardware cannot count tries, or lacks something else that the sealer needs.
    public static let hardwareUnsuitable = Self("hardwareUnsuitable")
    /// The key was sealed in the hardware of another machine, or this machine's hardware was cleared after
    /// the sealing.
    public static let otherHardware = Self("otherHardware")
    /// The hardware no longer holds the object that opens the key, because it was deleted.
    public static let hardwareCleared = Self("hardwareCleared")
    /// The sealed key is out of date, because a newer seal has replaced it. The hardware no longer holds the
    /// object that opens the old sealed key.
    public static let olderSeal = Self("olderSeal")

    /// The codes about the hardware. Each of them means that no passcode was tried.
    public static let ofHardware: Set<Self> = [
        .hardwareMissing, .hardwareBusy, .hardwareFull, .hardwareFailed, .hardwareNotPermitted,
        .hardwareOwned, .hardwareUnsuitable, .otherHardware, .hardwareCleared, .olderSeal,
    ]

    /// The codes that guarantee that no passcode was tried. They are the codes about the hardware, the codes
    /// about a sealed key that the sealer cannot open, and ``unavailable``.
    public static let untried = ofHardware.union([
        .refusedParameters, .unknownAlgorithm, .malformed, .unavailable,
    ])
}
