#if os(Linux)
internal import PasscodeLock
internal import PortcullisCore

/// Asks for the passcode before a way out, where one is set.
///
/// Each try goes through `PasscodeService.verify(_:)`: it is counted before it is made, and throttled.
struct PasscodeGate: Sendable {
    private let service: PasscodeService

    /// A gate for a user's passcode.
    ///
    /// - Throws: `PasscodeError` when the configuration is refused.
    init(_ backends: Backends, user: UserID) throws {
        service = try PasscodeService(
            user: user,
            backends: backends,
            session: NoSignedInSession(),
            configuration: PasscodeConfiguration(appName: "portcullis")
        )
    }

    /// Whether there is a passcode to ask for.
    ///
    /// - Throws: `PasscodeError` when that cannot be known; the way out then stays shut.
    var isShut: Bool {
        get async throws { try await service.status().isSet }
    }

    /// Tries a passcode.
    ///
    /// - Returns: `nil` when it is right, or none is set; what to say otherwise, and the exit status: 1 for a wrong
    ///   one, 5 while a delay is served.
    func refusal(of passcode: SecretBytes) async throws -> ToolFailure? {
        let answer = try await service.verify(passcode)
        switch answer {
        case .right, .notSet: return nil
        default: return Self.refusal(for: answer)
        }
    }

    private static func refusal(for answer: PasscodeAnswer) -> ToolFailure {
        let outcome = PasscodeOutcome.answer(answer, done: "", result: "")
        return ToolFailure(outcome.text, outcome.exit)
    }

    /// Asks at a hidden prompt, or reads a line of standard input, and returns when the way is free.
    ///
    /// - Parameter input: where the passcode comes from.
    /// - Throws: ``ToolFailure`` with exit status 1 for a wrong passcode, 5 while a delay is served, 2 where nothing
    ///   was given, 130 for Ctrl-C; `PasscodeError`.
    func pass(_ input: SecretInput = SecretInput()) async throws {
        let status = try await service.status()
        guard status.isSet else { return }
        // No passcode is asked for during a delay: it would not be checked.
        if status.retryAfter > .zero { throw Self.refusal(for: .throttled(retryAfter: status.retryAfter)) }
        if let refusal = try await refusal(of: try await input.line(prompt: "Passcode")) { throw refusal }
    }
}
#endif
