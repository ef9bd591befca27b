import PortcullisCore
import PortcullisTesting
import Synchronization

/// A right store whose answers are written down.
struct TranscribedStore: TransactionalSecretStore, CustomStringConvertible {
    let inner: FaultyStore
    let transcript: Transcript
    let number: Int

    static func subject(_ transcript: Transcript) -> SecretStoreSubject {
        let outside = FaultyStore.Outside()
        return SecretStoreSubject(
            lock: { store in
                transcript.note("lock")
                (store as? Self)?.inner.lock()
            },
            unlock: { store in
                transcript.note("unlock")
                (store as? Self)?.inner.unlock()
            },
            places: {
                transcript.note("a place")
                let place = FaultyStore.Place(outside)
                return SecretStoreSubject.Place(
                    damage: { name in
                        transcript.note("damage \(name)")
                        place.state.withLock { _ = $0.damaged.insert(name) }
                    },
                    hold: {
                        transcript.note("hold")
                        place.gate.close()
                        return { place.gate.open() }
                    },
                    open: {
                        let inner = FaultyStore(place, .none)
                        let number = transcript.number(of: "\(ObjectIdentifier(inner))")
                        transcript.note("open \(number)")
                        return Self(inner: inner, transcript: transcript, number: number)
                    }
                )
            }
        )
    }

    var description: String { "store" }
    var capabilities: SecretStoreCapabilities { inner.capabilities }

    private static let error = SecretStoreError(code: .systemFailure, message: "bent")

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await transcript.call("\(number) read \(name)", as: Self.text, or: Self.others(ofReading:)) {
            () throws(SecretStoreError) in
            try await inner.read(name)
        }
    }

    func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        try await transcript.call(
            "\(number) read together \(names)",
            as: { "\($0.map(Self.text))" },
            or: Self.others(ofReadingTogether:),
            { () throws(SecretStoreError) in try await inner.read(names) }
        )
    }

    private static func others(
        ofReadingTogether result: Result<[StoredSecret?], SecretStoreError>
    ) -> [(String, Result<[StoredSecret?], SecretStoreError>)] {
        guard case .success(let items) = result else {
            return [("nothing", .success([nil, nil])), ("another error", .failure(error))]
        }
        return [("one more", .success(items + [nil]))]
            + items.indices.flatMap { index in
                others(ofReading: .success(items[index])).map { what, other in
                    (
                        "\(what) at \(index)",
                        other.map { item in
                            var others = items
                            others[index] = item
                            return others
                        }
                    )
                }
            }
    }

    private static func others(
        ofReading result: Result<StoredSecret?, SecretStoreError>
    ) -> [(String, Result<StoredSecret?, SecretStoreError>)] {
        let ghost = StoredSecret(
            value: SecretBytes(copying: [0xBE, 0x17]),
            version: SecretVersion(77_777),
            accessibility: .afterFirstUnlock
        )
        guard case .success(let stored) = result else {
            return [
                ("nothing", .success(nil)), ("a value", .success(ghost)), ("another error", .failure(error)),
            ]
        }
        guard let stored else { return [("a value", .success(ghost)), ("an error", .failure(error))] }
        func other(
            _ value: SecretBytes? = nil,
            _ version: SecretVersion? = nil,
            _ accessibility: Accessibility? = nil
        ) -> Result<StoredSecret?, SecretStoreError> {
            .success(
                StoredSecret(
                    value: value ?? stored.value,
                    version: version ?? stored.version,
                    accessibility: accessibility ?? stored.accessibility
                )
            )
        }
        let accessibility = Accessibility(
            stored.accessibility.availability,
            thisDeviceOnly: !stored.accessibility.thisDeviceOnly
        )
        return [
            ("nothing", .success(nil)), ("another value", other(ghost.value)),
            ("another version", other(nil, ghost.version)), ("another class", other(nil, nil, accessibility)),
        ]
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let question = "\(number) write \(Self.text(value)) to \(name) as \(accessibility) if \(precondition)"
        return try await transcript.call(question, as: { "\($0)" }, or: Self.others(ofWriting:)) {
            () throws(SecretStoreError) in
            try await inner.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    private static func others(
        ofWriting result: Result<WriteOutcome, SecretStoreError>
    ) -> [(String, Result<WriteOutcome, SecretStoreError>)] {
        let ghost = SecretVersion(77_777)
        return switch result {
        case .success(.written):
            [
                ("another version", .success(.written(ghost))),
                ("a conflict", .success(.conflict(current: nil))),
            ]
        case .success(.conflict(let current)):
            [
                ("written", .success(.written(ghost))),
                ("a conflict with another", .success(.conflict(current: current == nil ? ghost : nil))),
            ]
        case .failure: [("another error", .failure(error)), ("written", .success(.written(ghost)))]
        }
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        let answers: [RemoveOutcome] = [
            .removed, .absent, .conflict(current: nil), .conflict(current: SecretVersion(77_777)),
        ]
        return try await transcript.call(
            "\(number) remove \(name) if \(precondition)",
            as: { "\($0)" },
            or: { result in
                guard case .success(let seen) = result else {
                    return [("another error", .failure(Self.error))]
                }
                return answers.filter { $0 != seen }.map { ("\($0)", .success($0)) }
            },
            { () throws(SecretStoreError) in try await inner.remove(name, if: precondition) }
        )
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await transcript.call(
            "\(number) names in \(namespace)",
            as: { "\($0.map(\.name))" },
            or: { result in
                guard case .success(let names) = result, let ghost = try? SecretName("ghost", in: namespace)
                else { return [("another error", .failure(Self.error)), ("no names", .success([]))] }
                return [
                    ("one more", .success(names + [ghost])), ("none of them", .success([])),
                    ("the other way round", .success(names.reversed())),
                ].filter { $0.0 == "one more" || names.count > ($0.0 == "none of them" ? 0 : 1) }
            },
            { () throws(SecretStoreError) in try await inner.names(in: namespace) }
        )
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        transcript.note("\(number) changes in \(namespace)")
        return inner.changes(in: namespace)
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        try await transcript.call(
            "\(number) commit \(changes.map(Self.text))",
            as: Self.text,
            or: { result in
                guard case .success(let outcome) = result else {
                    return [("another error", .failure(Self.error)), ("committed", .success(.committed([])))]
                }
                guard case .committed(let versions) = outcome else {
                    return [("no names", .success(.conflict([:]))), ("committed", .success(.committed([])))]
                }
                return [
                    ("a conflict", .success(.conflict([:]))),
                    ("no versions", .success(.committed(versions.map { _ in nil }))),
                    ("old versions", .success(.committed(versions.map { $0.map { _ in SecretVersion(1) } }))),
                ]
            },
            { () throws(SecretStoreError) in try await inner.commit(changes) }
        )
    }

    private static func text(_ value: SecretBytes) -> String {
        value.withBytes { bytes in
            // Of a long value every so many bytes; a test without optimisation is slow over a megabyte.
            let sum = stride(from: 0, to: bytes.count, by: bytes.count / 512 + 1).reduce(0 as UInt32) {
                $0 &* 31 &+ UInt32(bytes[$1])
            }
            return bytes.count < 5 ? "\(bytes.indices.map { bytes[$0] })" : "\(bytes.count) bytes \(sum)"
        }
    }

    private static func text(_ stored: StoredSecret?) -> String {
        stored.map { "\($0.version) \(text($0.value)) \($0.accessibility)" } ?? "nothing"
    }

    private static func text(_ change: SecretChange) -> String {
        switch change {
        case .write(let value, let name, let accessibility, let condition):
            "write \(text(value)) to \(name) as \(accessibility) if \(condition)"
        case .remove(let name, let condition): "remove \(name) if \(condition)"
        }
    }

    private static func text(_ outcome: CommitOutcome) -> String {
        switch outcome {
        case .committed(let versions): "committed \(versions.map { $0.map { "\($0)" } ?? "none" })"
        case .conflict(let names): "conflict \(names.keys.sorted())"
        }
    }
}
