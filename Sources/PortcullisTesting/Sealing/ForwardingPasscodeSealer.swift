package import PortcullisCore

/// A sealer for tests that passes on to another sealer what the port has no default for. A conforming type
/// implements only the calls that it changes.
package protocol ForwardingPasscodeSealer: PasscodeSealer {
    /// The sealer that calls are passed on to.
    var base: FastPasscodeSealer { get }
}

extension ForwardingPasscodeSealer {
    package var parameters: Argon2Parameters { base.parameters }

    package func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await base.seal(key, under: passcode, context: context)
    }

    package func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await base.open(sealed, with: passcode, context: context)
    }
}
