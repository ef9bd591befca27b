internal import PasscodeLock
internal import PortcullisCore
internal import TerminalHost

/// Reads new passcodes.
extension PasscodeContext {
    /// Reads a new passcode. On a terminal it is entered twice. The prompt is repeated if the two entries
    /// differ, if the format is wrong, or if the person chooses to replace an easily guessed passcode.
    /// Without a terminal, an easily guessed passcode only causes a warning on standard error.
    ///
    /// - Throws: `TerminalHostError`.
    func newPasscode(prompt: String) async throws -> SecretBytes {
        guard input.isTerminal else {
            let passcode = try await input.line(prompt: prompt)
            if Self.isEasilyGuessed(passcode) { StandardError.warn(Self.warning) }
            return passcode
        }
        while true {
            // An invalid entry leads to a new prompt. If the command ended instead, the person might type the
            // next entry into the shell, which would show it.
            let passcode = try await input.line(prompt: prompt)
            if let violation = PasscodeFormat.standard.violation(of: passcode) {
                StandardError.write("portcullis: \(violation)")
                continue
            }
            if Self.isEasilyGuessed(passcode) {
                StandardError.warn(Self.warning)
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

    private static let warning = PasscodeStrings.english.easilyGuessed

    /// Whether a passcode has the right format but is easily guessed.
    private static func isEasilyGuessed(_ passcode: SecretBytes) -> Bool {
        PasscodeFormat.standard.violation(of: passcode) == nil && PasscodeWeakness.of(passcode) != nil
    }
}
