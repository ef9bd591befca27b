import ArgumentParser
import GcryptKeystore
import PortcullisCore

struct AddNote: NotesCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Keep a note; its text is standard input."
    )

    @OptionGroup var file: NotesFile
    @Argument(help: "The note's title.") var title: String
    @Flag(help: "Readable while the store is locked, too.") var whileLocked = false
    @Flag(help: "In no backup.") var thisDeviceOnly = false

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        let accessibility = Accessibility(
            whileLocked ? .afterFirstUnlock : .whenUnlocked,
            thisDeviceOnly: thisDeviceOnly
        )
        guard try await notes.add(try StandardInput.text(), as: title, accessibility) else {
            throw Refusal("there is a note “\(title)” already", .overtaken)
        }
    }
}

struct ListNotes: NotesCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the titles.")

    @OptionGroup var file: NotesFile

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        for title in try await notes.titles() { print(title) }
    }
}

struct ShowNote: NotesCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a note's text.")

    @OptionGroup var file: NotesFile
    @Argument(help: "The note's title.") var title: String
    @Flag(help: "Show its version and class instead.") var about = false

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        guard let note = try await notes.note(title) else { throw Refusal.none(title) }
        if about {
            print("version \(note.version.rawValue), \(note.accessibility)")
        } else {
            try StandardOutput.write(note.value)
        }
    }
}

struct EditNote: NotesCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Replace a note's text by standard input, unless somebody else changed it meanwhile."
    )

    @OptionGroup var file: NotesFile
    @Argument(help: "The note's title.") var title: String
    @Option(help: "The version that was read; default: the present one.") var version: UInt64?

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        guard let note = try await notes.note(title) else { throw Refusal.none(title) }
        let version = version.map { SecretVersion($0) } ?? note.version
        StandardError.write("“\(title)”, version \(version.rawValue). Its new text, up to Ctrl-D:")
        let text = try StandardInput.text()
        switch try await notes.replace(title, version: version, note.accessibility, with: text) {
        case .saved: break
        case .kept(let other):
            throw Refusal("“\(title)” was changed meanwhile; your text is kept as “\(other)”", .overtaken)
        }
    }
}

struct RemoveNote: NotesCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a note.")

    @OptionGroup var file: NotesFile
    @Argument(help: "The note's title.") var title: String

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        guard try await notes.remove(title) else { throw Refusal.none(title) }
    }
}

struct BackUp: NotesCommand {
    static let configuration = CommandConfiguration(
        commandName: "back-up",
        abstract:
            "Write a file that a passphrase opens anywhere; the passphrase is standard input's first line."
    )

    @OptionGroup var file: NotesFile
    @Argument(help: "The file to make.") var backup: String

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        print("notes backed up: \(try await store.export(to: backup, passphrase: StandardInput.line()))")
    }
}

struct Restore: NotesCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Take in the notes of a backup, over those of the same titles."
    )

    @OptionGroup var file: NotesFile
    @Argument(help: "The file to read.") var backup: String

    func run(_ notes: Notes, in store: GcryptKeystore) async throws {
        print("notes restored: \(try await store.import(from: backup, passphrase: StandardInput.line()))")
    }
}

extension Refusal {
    fileprivate static func none(_ title: String) -> Refusal { Refusal("no note “\(title)”", .noNote) }
}
