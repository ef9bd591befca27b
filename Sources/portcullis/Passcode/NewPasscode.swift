internal import PasscodeLock
internal import PortcullisCore

/// Asking for a new passcode.
extension PasscodeContext {
    /// A new passcode. At a prompt it is asked for twice, and anew where the two differ or the first has the wrong format;
    /// one that is easily guessed may be given up for another. Otherwise that is pointed out on standard error.
    ///
    /// - Throws: `SecretInput.Failure`.
    func newPasscode(prompt: String) async throws -> SecretBytes {
        guard input.isTerminal else {
            let passcode = try await input.line(prompt: prompt)
            if Self.isEasilyGuessed(passcode) { StandardError.write(Self.warning) }
            return passcode
        }
        while true {
            // To leave instead would hand what is typed next to a shell, which shows it.
            let passcode = try await input.line(prompt: prompt)
            if let violation = PasscodeFormat.standard.violation(of: passcode) {
                StandardError.write("portcullis: \(violation)")
                continue
            }
            if Self.isEasilyGuessed(passcode) {
                StandardError.write(Self.warning)
                let answer = try await input.line(
                    prompt: "Type yes to use it anyway, or Return to choose another"
                )
                guard ["yes", "y"].contains(where: { answer.matches(SecretBytes(copying: Array($0.utf8))) })
                else {
                    continue
                }
            }
            if passcode.matches(try await input.line(prompt: "\(prompt) again")) { return passcode }
            StandardError.write("portcullis: \(PasscodeStrings.english.mismatch)")
        }
    }

    private static let warning = "portcullis: warning: \(PasscodeStrings.english.easilyGuessed)"

    /// Whether it is a passcode that would be taken, and one of the first to be tried.
    private static func isEasilyGuessed(_ passcode: SecretBytes) -> Bool {
        PasscodeFormat.standard.violation(of: passcode) == nil && PasscodeWeakness.of(passcode) != nil
    }
}
