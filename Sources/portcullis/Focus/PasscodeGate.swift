#if os(Linux)
internal import PasscodeLock
internal import PortcullisCore
internal import TerminalHost

/// Asks for the passcode, if one is set, before the goal lock is loosened.
///
/// Each try goes through `PasscodeService.verify(_:)`. The service counts a try before it checks the
/// passcode, and throttles tries.
struct PasscodeGate: Sendable {
    let service: PasscodeService

    /// Makes a gate for a user's passcode.
    ///
    /// - Throws: `PasscodeError` when the configuration is refused.
    init(_ backends: Backends, user: UserID) throws {
        service = try PasscodeService(
            user: user,
            backends: backends,
            session: FixedSession(nil),
            configuration: .ofTool()
        )
    }

    /// Whether a passcode is set.
    ///
    /// - Throws: `PasscodeError` if the status cannot be read. The goal lock then must not be loosened.
    var isShut: Bool {
        get async throws { try await service.status().isSet }
    }

    /// Tries a passcode.
    ///
    /// - Returns: `nil` if the passcode is right or none is set; otherwise the message and the exit status: 1
    ///   for a wrong passcode, 5 while no passcode is tried.
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

    /// Reads the passcode at a hidden prompt, or from a line of standard input. The method returns if the
    /// passcode is right, or if none is set.
    ///
    /// - Parameter input: the source of the passcode.
    /// - Throws: ``ToolFailure`` with exit status 1 for a wrong passcode, 5 while no passcode is tried;
    ///   `TerminalHostError` without input and for Ctrl-C; `PasscodeError`.
    func pass(_ input: SecretInput = SecretInput()) async throws {
        let status = try await service.status()
        guard status.isSet else { return }
        // During a delay no passcode is requested, because it would not be checked.
        if status.retryAfter > .zero { throw Self.refusal(for: .throttled(retryAfter: status.retryAfter)) }
        if let refusal = try await refusal(of: try await input.line(prompt: "Passcode")) { throw refusal }
    }
}
#endif
