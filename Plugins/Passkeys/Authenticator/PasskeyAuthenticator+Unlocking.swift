#if Passkeys
internal import AdapterKit
internal import PortcullisCore

extension PasskeyAuthenticator {
    /// Asks the browser to use a passkey, and opens the key with the passkey's output.
    func unlock(_ user: UserID, reason: String, fallbackTitle: String) async -> BiometricOutcome {
        let item = PasskeyRecord.item(of: user, in: store)
        let record: PasskeyRecord
        do throws(BiometricError) {
            guard let found = try await item.read()?.value else {
                return Task.isCancelled ? .cancelled(by: .app) : .failed(message: texts.noPasskey)
            }
            record = found
        } catch {
            return .failed(message: texts.storeFailed)
        }
        let freshSalt = randomBytes()
        let allowed = record.passkeys.map {
            PasskeyPrompt.Allowed(id: $0.credential.id, salt: $0.wrap.salt)
        }
        let ending = await ask(
            .use(allowed, freshSalt: freshSalt),
            of: user,
            reason: reason,
            fallbackTitle: fallbackTitle
        )
        switch ending {
        case .answered(.used(let response, let outputs), let challenge):
            do throws(WebAuthnError) {
                let opening = try open(response, outputs, challenge, record, freshSalt)
                return await keep(opening, in: item)
            } catch {
                return .failed(message: texts.message(for: error.code))
            }
        case .answered(.passcodeChosen, _): return .passcodeChosen
        case .answered(.cancelled, _): return .cancelled(by: .user)
        case .answered(.withdrawn, _): return .cancelled(by: .system)
        case .answered: return .failed(message: texts.failed)
        case .refused(let error): return .failed(message: texts.message(for: error.code))
        case .ended(let canceller): return .cancelled(by: canceller)
        case .notAvailable: return .notAvailable
        }
    }

    /// An opened key, with the passkey's stored data before and after this use.
    private struct Opening: Sendable {
        let key: SecretBytes
        let before: KeptPasskey
        let after: KeptPasskey
    }

    /// Verifies a response and opens the key, without storing anything.
    private func open(
        _ response: PasskeyAssertion,
        _ outputs: PasskeyOutputs?,
        _ challenge: PasskeyChallenge,
        _ record: PasskeyRecord,
        _ freshSalt: [UInt8]
    ) throws(WebAuthnError) -> Opening {
        guard let before = record.passkey(response.credentialID) else {
            throw WebAuthnError(.wrongCredential, "the credential is not known")
        }
        var after = before
        after.credential = try site.verify(
            response,
            challenge: challenge.bytes,
            credential: before.credential,
            userHandle: before.userHandle
        )
        guard let outputs, outputs.areUsable else {
            throw WebAuthnError(.noKeyOutput, "the response has no output of the PRF extension")
        }
        let owner = owner(of: before.credential.id)
        guard let key = before.wrap.open(under: outputs.first, owner: owner) else {
            throw WebAuthnError(.noKeyOutput, "the output of the PRF extension opens nothing")
        }
        do {
            after.wrap = try KeyWrap(key, under: outputs.second, salt: freshSalt, owner: owner)
        } catch {
            throw WebAuthnError(.noKeyOutput, "the key cannot be wrapped anew", cause: error)
        }
        return Opening(key: key, before: before, after: after)
    }

    /// Stores the new counter and wrap, and returns the key only after that.
    ///
    /// Another session may have removed or used the passkey since the prompt began. So the stored record is
    /// read and checked again. If the check fails, the key is not returned.
    private func keep(
        _ opening: Opening,
        in item: StoredValue<PasskeyRecord, BiometricError>
    ) async -> BiometricOutcome {
        let (before, after) = (opening.before, opening.after)
        do throws(BiometricError) {
            let refusal = try await item.update { found throws(BiometricError) -> KeptChange in
                guard var record = found, var kept = record.passkey(before.credential.id),
                    kept.keyMark == before.keyMark
                else { return .keep(.wrongCredential) }
                let (last, now) = (kept.credential.counter, after.credential.counter)
                guard now > last || (now == 0 && last == 0) else { return .keep(.counterWentBack) }
                kept.credential = after.credential
                // During the prompt, another session may have stored a new wrap. Both wraps contain the same
                // key, and each has a fresh salt. So this session's wrap may replace the stored one.
                kept.wrap = after.wrap
                record.replace(kept)
                return .write(record, nil)
            }.answer
            if let refusal { return .failed(message: texts.message(for: refusal)) }
        } catch {
            return .failed(message: texts.storeFailed)
        }
        guard desk.isAvailable else { return .cancelled(by: .system) }
        return .success(key: opening.key)
    }

    private typealias KeptChange = StoredValue<PasskeyRecord, BiometricError>.Change<WebAuthnErrorCode?>
}
#endif
