internal import CommandCompletion
internal import GcryptKeystore
internal import GoalLock
internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import SealedSession
internal import TerminalHost

/// The tool's exit statuses.
enum ToolExit: Int32, Error {
    /// Yes, or done: the command succeeded.
    case yes = 0
    /// No: for example, the passcode is wrong or not set, the secret or the store does not exist, or the
    /// schedule has no next time.
    case no = 1
    /// The options or the input are invalid.
    case usage = 2
    /// The key or passphrase is wrong, or the key file is missing.
    case wrongKey = 3
    /// The file, or a record in it, is damaged.
    case damaged = 4
    /// Passcodes are refused now, for example during a delay.
    case throttled = 5
    /// Another process held the store's lock for too long.
    case busy = 6
    /// The system refused an operation, for instance because of a file's permissions, owner or mode, a
    /// symbolic link, a full disk, or a read-only file.
    case refused = 7
    /// The file has a newer format.
    case newerFormat = 8
    /// The file was replaced by an older copy, or a newer seal has replaced the passcode's seal.
    case rolledBack = 9
    /// The accessibility class of the item is locked.
    case classLocked = 10
    /// `guard` itself failed: its program was not started, or could not be watched.
    case guardFailed = 125
    /// Ctrl-C was pressed at a prompt or on a screen. Shells use this status for a command that Ctrl-C ended.
    case interrupted = 130

    init(_ code: SecretStoreError.Code) {
        self =
            switch code {
            case .wrongKey, .keyMissing: .wrongKey
            case .damaged: .damaged
            case .rolledBack: .rolledBack
            case .newerFormat: .newerFormat
            case .classLocked: .classLocked
            case .lockTimeout: .busy
            case .invalidName, .tooLarge, .alreadyExists, .invalidSlot: .usage
            case .missingStore: .no
            default: .refused
            }
    }
}

/// An error of the tool: one line for standard error, and the exit status.
struct ToolFailure: Error {
    var message: String
    var exit: ToolExit

    init(_ message: String, _ exit: ToolExit) {
        self.message = message
        self.exit = exit
    }

    /// Makes the failure for an error of the library or the tool; `nil` for any other error, such as an
    /// error of the argument parser.
    init?(_ error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as UnknownWordError: self.init(error.message, .usage)
        case let error as SecretStoreError: self.init(error)
        case let error as PasscodeError: self.init(error)
        case let error as GoalError: self.init(error)
        case let error as ShieldError: self.init(error)
        case let error as ProgressSourceError: self.init(error)
        case let error as ShieldNameError: self.init(error)
        case let error as SessionAgentError: self.init(error.message, .refused)
        case let error as TerminalHostError: self.init(error)
        case let error as SystemCallError:
            self.init("the system refused \(error.call): \(SystemCallError.text(of: error.errno))", .refused)
        default: return nil
        }
        // A path or a cause with line ends must not look like a second message.
        if !(error is ToolFailure) { message = ForeignText.line(message) }
    }

    private init(_ error: SecretStoreError) {
        let place = error.path.map { "\($0): " } ?? ""
        let way =
            error.code == .damaged
            ? "; of a store `portcullis secret check` tells more, and `portcullis secret salvage` saves what is whole"
            : ""
        self.init("\(place)\(error.message)\(way)", ToolExit(error.code))
    }

    private init(_ error: PasscodeError) {
        if let cause = error.cause as? SecretStoreError {
            self.init(cause)
            return
        }
        let exit: ToolExit =
            switch error.code {
            case .wrongFormat, .easilyGuessed, .alreadySet, .invalidConfiguration: .usage
            case .damagedRecord: .damaged
            case .sealer: Self.exit(error.cause as? PasscodeSealerError)
            case .newerRecord: .newerFormat
            default: .refused
            }
        self.init(error.message, exit)
    }

    init(_ error: TerminalHostError) {
        switch error.code {
        case .notSealed: self.init("the store is \(error.message)", .refused)
        case .sealedWithoutPasscode:
            self.init(
                "no passcode is set that opens the sealed store; `portcullis secret unseal` opens it with the recovery passphrase",
                .refused
            )
        case .interrupted: self.init(error.message, .interrupted)
        case .missingInput, .tooLong, .unreadable: self.init(error.message, .usage)
        default: self.init(error.message, .refused)
        }
    }

    /// The exit status for a sealer's error. A record with refused parameters counts as damaged, because no
    /// sealer writes such parameters.
    private static func exit(_ error: PasscodeSealerError?) -> ToolExit {
        switch error?.code {
        case PasscodeSealerError.Code.refusedParameters, PasscodeSealerError.Code.malformed: .damaged
        case PasscodeSealerError.Code.unknownAlgorithm: .newerFormat
        case PasscodeSealerError.Code.olderSeal: .rolledBack
        case PasscodeSealerError.Code.notRecoverable: .no
        default: .refused
        }
    }
}
