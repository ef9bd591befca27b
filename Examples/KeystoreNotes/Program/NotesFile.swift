import ArgumentParser
import Foundation
import GcryptKeystore
import PortcullisCore

/// The options for the notes' file, and its opening.
struct NotesFile: ParsableArguments {
    @Option(help: "The folder that the notes are kept in.")
    var home = "keystore-notes.data"

    @Option(help: "The file with the key; default: in the same folder.")
    var key: String?

    @Flag(help: "Lock the store first, as an app does when its person has left.")
    var locked = false

    /// Opens the file, or makes it, and passes it to a closure.
    ///
    /// An error of the store becomes a ``Refusal``, which has a text for standard error and an exit status.
    func open(_ use: (GcryptKeystore, Notes) async throws -> Void) async throws {
        do {
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(
                    path: "\(home)/notes.keystore",
                    credential: .keyFile(key ?? "\(home)/notes.key")
                )
            )
            if locked { store.lock() }
            try await use(store, Notes(in: store))
            await store.close()
        } catch let error as SecretStoreError {
            let place = error.path.map { "\($0): " } ?? ""
            throw Refusal("\(place)\(error.message)", Self.exit(error.code))
        }
    }

    private static func exit(_ code: SecretStoreError.Code) -> Refusal.Status {
        switch code {
        case .wrongKey, .keyMissing: .wrongKey
        case .damaged: .damaged
        case .lockTimeout: .overtaken
        case .classLocked: .locked
        case .invalidName, .tooLarge, .alreadyExists: .invalid
        case .missingStore: .noNote
        default: .refused
        }
    }
}

/// The reason why something was not done, for the person at the terminal.
struct Refusal: Error, CustomStringConvertible {
    enum Status: Int32 {
        case noNote = 1
        case invalid
        case wrongKey
        case damaged
        case overtaken = 6
        case refused
        case locked = 10
    }

    let description: String
    let status: Status

    init(_ description: String, _ status: Status) {
        self.description = description
        self.status = status
    }
}
