import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization

/// A sealer that cannot forget at its first try, and notes what it is to forget.
final class ForgetfulSealer: ForwardingPasscodeSealer {
    let base = FastPasscodeSealer()
    private let asked = Mutex<[[SealedKey]]>([])

    var questions: [[SealedKey]] { asked.withLock { $0 } }

    func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        let isFirst = asked.withLock { asked in
            asked.append(touched)
            return asked.count == 1
        }
        if isFirst { throw PasscodeSealerError(code: .hardwareBusy, message: "busy") }
    }
}

/// Hardware that opens what it holds, and takes no other key when a test says so.
final class FullSealer: ForwardingPasscodeSealer {
    let isFull = Mutex(false)
    let base = FastPasscodeSealer()
    private let failure: PasscodeSealerError

    init(_ failure: PasscodeSealerError) { self.failure = failure }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        if isFull.withLock({ $0 }) { throw failure }
        return try await base.seal(key, under: passcode, context: context)
    }
}

/// A sealer that knows no record but its own, and does not say so before.
struct ForeignSealer: PasscodeSealer {
    var parameters: Argon2Parameters { .owaspMinimum }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        throw PasscodeSealerError(code: .systemFailure, message: "it seals nothing")
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        throw PasscodeSealerError(code: .unknownAlgorithm, message: "another sealer's record")
    }
}

/// Hardware that was ready when it was asked, and has reached its limit when it is to try.
struct SpentSealer: ForwardingPasscodeSealer {
    let base = FastPasscodeSealer()

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening { .triesExhausted }
}
