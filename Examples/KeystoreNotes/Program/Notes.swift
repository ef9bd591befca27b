import PortcullisCore

/// Texts under their titles, in any store.
struct Notes: Sendable {
    /// How an edit ended.
    enum Edit: Sendable {
        case saved
        /// The note was changed or removed meanwhile. The new text is kept under another title.
        case kept(title: String)
    }

    private let store: any SecretStore
    private let namespace: SecretNamespace

    init(in store: any SecretStore) throws(SecretStoreError) {
        self.store = store
        self.namespace = try SecretNamespace("notes")
    }

    func titles() async throws(SecretStoreError) -> [String] {
        try await store.names(in: namespace).map(\.name)
    }

    /// - Returns: the note with its version and class; `nil` when there is none.
    func note(_ title: String) async throws(SecretStoreError) -> StoredSecret? {
        try await store.read(SecretName(title, in: namespace))
    }

    /// - Returns: `false` if there is such a note already. That note stays as it is.
    func add(
        _ text: SecretBytes,
        as title: String,
        _ accessibility: Accessibility
    ) async throws(SecretStoreError) -> Bool {
        let name = try SecretName(title, in: namespace)
        let outcome = try await store.write(text, to: name, accessibility: accessibility, if: .absent)
        return if case .written = outcome { true } else { false }
    }

    /// Replaces the text of a note, unless the note has changed since it was read.
    func replace(
        _ title: String,
        version: SecretVersion,
        _ accessibility: Accessibility,
        with text: SecretBytes
    ) async throws(SecretStoreError) -> Edit {
        let name = try SecretName(title, in: namespace)
        let outcome = try await store.write(
            text,
            to: name,
            accessibility: accessibility,
            if: .version(version)
        )
        if case .written = outcome { return .saved }
        var number = 2
        while try await !add(text, as: "\(title) (\(number))", accessibility) { number += 1 }
        return .kept(title: "\(title) (\(number))")
    }

    /// - Returns: `false` when there is no such note.
    func remove(_ title: String) async throws(SecretStoreError) -> Bool {
        try await store.remove(SecretName(title, in: namespace)) == .removed
    }
}
