#if HummingbirdLock && Passkeys
public import Passkeys
public import PortcullisCore
internal import WebScreens

extension WebPrompts {
    /// Makes the authenticator of this session, whose prompts the lock's pages show in the browser (W-3).
    ///
    /// The host puts the authenticator into the `Backends` of the person's service, and passes these prompts
    /// to ``WebLock/signIn(_:replacing:keeping:prompts:)``. Passkeys are not available until a page has
    /// reported that its browser can use them.
    ///
    /// Each session of the person needs an authenticator. A session without one removes the passcode and
    /// leaves the passkeys in the store. At an address that cannot have passkeys, such as an IP address, the
    /// host makes an authenticator for the site's own address, and passes no prompts to the sign-in. Then
    /// passkeys are never available in that session.
    ///
    /// - Parameters:
    ///   - site: the site that the passkeys are bound to.
    ///   - store: the store that holds the passkeys. All sessions of the person use the same store.
    ///   - clock: the clock that measures how long a prompt is open.
    ///   - texts: the texts that a person reads; default: English.
    ///   - accountName: returns the person's name for the browser's dialogue; default: the user's id.
    public func passkeys(
        for site: RelyingParty,
        store: any SecretStore,
        clock: any LockClock,
        texts: PasskeyTexts = PasskeyTexts(),
        accountName: @escaping @Sendable (UserID) -> String = \.rawValue
    ) -> PasskeyAuthenticator {
        // These prompts hold the source, and the source holds the authenticator. A strong reference from the
        // authenticator to the prompts would make a cycle, so the reference is weak.
        let session = { @Sendable [id, weak self] in
            PasskeySession(id: id, generation: self?.generation ?? 0)
        }
        let passkeys = PasskeyAuthenticator(
            site: site,
            store: store,
            clock: clock,
            texts: texts,
            accountName: accountName,
            session: session
        )
        let source = Source(
            current: {
                passkeys.prompt.map {
                    WebPrompt(id: $0.id, creates: $0.ceremony == .registration, options: $0.optionsJSON)
                }
            },
            changes: { passkeys.changes() },
            answer: { json, id in
                // A malformed response ends the prompt too. Otherwise the person would wait for the prompt's
                // time limit.
                let answer = (try? PasskeyAnswer(json: json)) ?? .failed
                return passkeys.answer(answer, to: id, from: session())
            },
            setAvailable: { passkeys.setAvailable($0) }
        )
        connect(source)
        return passkeys
    }
}
#endif
