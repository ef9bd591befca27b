import ArgumentParser

/// Notes in an encrypted file.
@main
struct KeystoreNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keystore-notes",
        abstract: "Notes in an encrypted file.",
        discussion: """
            Exit status: 0 done, 1 no such note, 2 a name or file that cannot be, 3 wrong key, 4 damaged file, 6 somebody else was first, \
            7 the system refused, 10 locked.
            """,
        subcommands: [
            AddNote.self, ListNotes.self, ShowNote.self, EditNote.self, RemoveNote.self, BackUp.self,
            Restore.self,
        ]
    )
}
