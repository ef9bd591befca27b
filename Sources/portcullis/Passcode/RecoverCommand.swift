internal import ArgumentParser
internal import PasscodeLock

extension PasscodeCommand {
    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Set a new passcode with the recovery passphrase, where the TPM refuses the one so far.",
            discussion: """
                The TPM counts from nothing again, and what was sealed under the passcode still opens. The \
                recovery passphrase stays the same. Another passphrase is exit status 3, and changes nothing.
                """
        )

        @OptionGroup var options: PasscodeOptions
        @OptionGroup var recovery: RecoveryOptions

        func run() async throws {
            try await options.perform { context in
                let passphrase = try await recovery.passphrase(options.store)
                let new = try await context.newPasscode(prompt: "New passcode")
                switch try await context.service().recover(with: passphrase, to: new) {
                case .recovered: return .done("Passcode set anew.", PasscodeReport(result: "recovered"))
                case .notSet: return .notSet
                case .wrongPassphrase:
                    let report = PasscodeReport(result: "wrongPassphrase")
                    return .refused("Incorrect recovery passphrase.", report, .wrongKey)
                }
            }
        }
    }
}
