internal import PortcullisCore

extension PipeReader {
    /// A prompt that is shown.
    struct Prompt: Sendable {
        let id: UInt64
        let reason: String
        let fallbackTitle: String
        let hint: @Sendable (BiometricHint) -> Void
        let answer: CheckedContinuation<BiometricOutcome, Never>
    }
}
