import ArgumentParser
import FakeBiometrics
internal import LockScreens
import Observation
import PasscodeLock
import PortcullisCore

/// What happens at a prompt.
enum Outcome: String, CaseIterable, ExpressibleByArgument {
    case match, noMatch = "no-match"
    /// The person presses "Enter Passcode" on the prompt.
    case passcode
    /// The person closes the prompt.
    case cancel

    var answer: FakeBiometrics.Answer {
        switch self {
        case .match: .success
        case .noMatch: .fail(message: nil)
        case .passcode: .choosePasscode
        case .cancel: .cancel(by: .user)
        }
    }
}

/// A reader that prints what happens at its prompts.
@MainActor
@Observable
final class ToldReader: BiometricAuthenticator {
    @ObservationIgnored private let reader: FakeBiometrics
    @ObservationIgnored private var outcomes: [Outcome]
    private var hasMatched = false

    init(_ reader: FakeBiometrics, _ outcomes: [Outcome]) {
        self.reader = reader
        self.outcomes = outcomes
    }

    /// Whether a prompt covers the lock screen. After a match this holds until the lock has opened or has
    /// removed its offer.
    func isInFront(of screen: ScreenContent?) -> Bool {
        guard let offer = screen?.controls.first(where: { $0.id == .biometrics }) else { return false }
        return hasMatched || !offer.isEnabled
    }

    @MainActor
    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        hasMatched = false
        // If no outcome is left, no person answers the prompt, and the system closes it.
        reader.script(outcomes.isEmpty ? .cancel(by: .system) : outcomes.removeFirst().answer)
        let outcome = await reader.authenticate(
            user: user,
            reason: reason,
            fallbackTitle: fallbackTitle,
            hint: hint
        )
        print("(Fingerprint: “\(reason)”. \(Self.words(outcome)))")
        if case .success = outcome { hasMatched = true }
        return outcome
    }

    private static func words(_ outcome: BiometricOutcome) -> String {
        switch outcome {
        case .success: "Match."
        case .passcodeChosen: "The person wants the passcode."
        case .cancelled(by: .user): "Cancelled."
        case .cancelled: "Nobody came."
        case .failed: "No match."
        case .lockedOut: "No match, and the reader is locked out."
        case .notAvailable: "Not available."
        case .notEnrolled: "Nobody is enrolled."
        }
    }

    func availability(for user: UserID) async -> BiometricAvailability {
        await reader.availability(for: user)
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        try await reader.enroll(key, for: user)
    }

    func forget(_ user: UserID) async throws(BiometricError) { try await reader.forget(user) }
}
