internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import SealedSession

struct UnsealStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseal",
        abstract: "Take the seal off a store with the recovery passphrase, when its passcode is gone.",
        discussion: """
            Afterwards whatever opens the store opens all of it, as before it was sealed. Who knows the passcode \
            needs no passphrase: `portcullis passcode remove` takes the seal off too.
            """
    )

    @OptionGroup var options: StoreOptions
    @OptionGroup var recovery: RecoveryOptions
    @Flag(help: "Answer in JSON.") var json = false

    private struct Report: Encodable { var result: String }

    func run() async throws {
        try await options.perform(with: try await options.credential()) { store in
            guard store.isSealed else { return try say("notSealed", "The store is not sealed.") }
            let passphrase = try await recovery.passphrase(options)
            do throws(SecretStoreError) {
                try await store.unseal(with: .recovery(passphrase))
            } catch  where error.code == .wrongKey {
                throw SecretStoreError(
                    code: .wrongKey,
                    message: "the recovery passphrase is wrong",
                    path: error.path
                )
            }
            try say("unsealed", "The store is not sealed any more.")
        }
    }

    private func say(_ result: String, _ text: String) throws {
        if json { return try StandardOutput.write(json: Report(result: result)) }
        try StandardOutput.write(line: text)
    }
}
