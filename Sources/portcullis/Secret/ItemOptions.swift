internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import SealedSession

struct ItemOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions
    @Option(help: "The group of items.")
    var namespace = "default"
    @Flag(help: "Answer in JSON.")
    var json = false

    /// The namespace. The tool refuses the library's own namespaces.
    func space() throws -> SecretNamespace {
        let space = try SecretNamespace(namespace)
        guard !space.isLibraryOwned else {
            throw ToolFailure("\(namespace) is a namespace of the library", .usage)
        }
        return space
    }

    func name(_ text: String) throws -> SecretName { try SecretName(text, in: try space()) }

    /// Opens the store, does the work and closes the store.
    func perform(_ body: (SessionStore) async throws -> Void) async throws {
        try await perform(with: try await store.credential(), body)
    }

    /// Opens the store, does the work on its items and closes the store. Within an unlocked session, the
    /// session's agent supplies the sealed values.
    func perform(
        with credential: KeystoreCredential,
        createsIfMissing: Bool = false,
        _ body: (SessionStore) async throws -> Void
    ) async throws {
        let path = try store.path()
        try await store.perform(with: credential, createsIfMissing: createsIfMissing) { keystore in
            let session = SessionStore(
                keystore,
                at: path,
                environment: Arguments.environment,
                refusal: "the store is sealed, and opens inside an unlocked `portcullis guard` only"
            )
            try await body(session)
        }
    }
}

extension StoreOptions {
    /// Opens the store, does the work and closes the store.
    func perform(
        with credential: KeystoreCredential,
        createsIfMissing: Bool = false,
        _ body: (GcryptKeystore) async throws -> Void
    ) async throws {
        let keystore = try await open(with: credential, createsIfMissing: createsIfMissing)
        do { try await body(keystore) } catch {
            await keystore.close()
            throw error
        }
        await keystore.close()
    }
}

struct AccessibilityArgument: ExpressibleByArgument {
    let accessibility: Accessibility

    init(_ accessibility: Accessibility) { self.accessibility = accessibility }

    init?(argument: String) {
        guard let found = Accessibility.allCases.first(where: { $0.description == argument }) else {
            return nil
        }
        accessibility = found
    }

    static var allValueStrings: [String] { Accessibility.allCases.map(\.description) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    var defaultValueDescription: String { accessibility.description }
}
