import ArgumentParser
import Foundation
import GcryptKeystore
import PortcullisCore

/// A command on the notes of a file.
protocol NotesCommand: AsyncParsableCommand {
    var file: NotesFile { get }
    func run(_ notes: Notes, in store: GcryptKeystore) async throws
}

extension NotesCommand {
    func run() async throws {
        do {
            try await file.open { store, notes in try await run(notes, in: store) }
        } catch let refusal as Refusal {
            StandardError.write("keystore-notes: \(refusal)")
            throw ExitCode(refusal.status.rawValue)
        }
    }
}

enum StandardInput {
    /// Reads the whole input. Besides the `SecretBytes`, a copy that is never cleared stays until the process
    /// ends.
    static func text() throws -> SecretBytes {
        SecretBytes(copying: try FileHandle.standardInput.readToEnd() ?? Data())
    }

    static func line() throws -> SecretBytes {
        guard let line = readLine(), !line.isEmpty else {
            throw Refusal("a passphrase is needed on standard input", .invalid)
        }
        return SecretBytes(copying: line.utf8)
    }
}

enum StandardOutput {
    static func write(_ secret: SecretBytes) throws {
        let text = secret.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
        try FileHandle.standardOutput.write(contentsOf: text)
    }
}

enum StandardError {
    static func write(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
