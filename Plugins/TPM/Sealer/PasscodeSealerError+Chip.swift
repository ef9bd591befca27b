internal import PortcullisCore
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension ChipFailure {
    /// The name of the failed command if a chip refuses to define an index that counts wrong passcodes.
    static let definingPINIndex = "definePINIndex"
}

extension CodedError where Kind == PasscodeSealerErrorCode {
    /// Makes the port's error for a chip's failure. For most problems that a person can fix, the error's
    /// message says how.
    init(_ failure: ChipFailure, _ address: TPMAddress?) {
        let place = address.map { " (\($0))" } ?? ""
        switch failure.kind {
        case .library(let package):
            self.init(
                code: .hardwareMissing,
                message:
                    "no TPM can be asked\(place): \(package) is missing; install the package of that name",
                cause: failure
            )
        case .unreachable(EACCES), .unreachable(EPERM):
            self.init(
                code: .hardwareNotPermitted,
                message: "the TPM\(place) may not be used by this user: add the user to the group tss",
                cause: failure
            )
        case .unreachable(EBUSY), .busy:
            self.init(
                code: .hardwareBusy,
                message: "the TPM\(place) is used by another program",
                cause: failure
            )
        case .unreachable:
            self.init(
                code: .hardwareMissing,
                message: "there is no TPM\(place); it may be switched off in the firmware's settings",
                cause: failure
            )
        case .lost:
            self.init(code: .hardwareMissing, message: "the TPM does not answer any more", cause: failure)
        case .forged:
            self.init(
                code: .otherHardware,
                message: "what answers is not the TPM that the passcode was set with",
                cause: failure
            )
        case .cryptography:
            self.init(code: .systemFailure, message: "\(failure)", cause: failure)
        case .response(let response):
            self.init(response: response, failure)
        }
    }

    private init(response: UInt32, _ failure: ChipFailure) {
        let answer = "0x\(String(response, radix: 16))"
        if failure.command == ChipFailure.definingPINIndex {
            self.init(
                code: .hardwareUnsuitable,
                message: "the TPM knows no index that counts wrong tries (\(answer))",
                cause: failure
            )
        } else if failure.isFull {
            self.init(
                code: .hardwareFull,
                message:
                    "the TPM has no room (\(answer)): `tpm2_nvundefine` or `tpm2_flushcontext` makes some",
                cause: failure
            )
        } else if failure.isTransient || failure.code == .lockout {
            self.init(code: .hardwareBusy, message: "the TPM puts requests off (\(answer))", cause: failure)
        } else if failure.isWrongAuthorization {
            self.init(
                code: .hardwareOwned,
                message: "the TPM's owner authorization was set, and is needed for this (\(answer))",
                cause: failure
            )
        } else if failure.code == .integrity || failure.code == .size {
            self.init(code: .malformed, message: "the record of the sealed key was altered", cause: failure)
        } else {
            self.init(
                code: .hardwareFailed,
                message: "the TPM failed (\(answer)); a restart of the machine may help",
                cause: failure
            )
        }
    }
}
