/// The sections that are the same in the pages of many commands. The commands' own help texts do not contain
/// these sections.
enum CommonSections {
    private static let statuses: [(String, String)] = [
        ("0", "Yes, or done."),
        ("1", "No: a wrong passcode, no such secret, no further time."),
        ("2", "Usage, or invalid input."),
        ("3", "A wrong key or passphrase."),
        ("4", "A damaged file."),
        ("5", "No passcode is taken now: during a delay, or at a limit of the TPM or of an app."),
        ("6", "Busy: another process wrote for too long."),
        ("7", "The system refused: permissions, a full disk, a closed output."),
        ("8", "A file of a newer format."),
        ("9", "A file that was rolled back to an older state."),
        ("10", "The item's class is locked: the store is sealed, and this is no unlocked session."),
        ("130", "Ctrl-C at a prompt."),
    ]

    static func exitStatus(of command: Command, in roff: inout Roff) {
        roff.request("SH", "EXIT STATUS")
        if command.commandName == "guard" {
            roff.paragraphs(
                """
                The program's own; 128 and the signal's number if a signal ended it; 125 if guard itself failed, or \
                did not start it; 2 for options that it does not understand.
                """
            )
            return
        }
        for (status, text) in statuses { entry(Roff.bold(status), text, in: &roff) }
        if command.words.count == 1 {
            entry(
                Roff.bold("125"),
                "`portcullis guard` itself failed, or did not start its program.",
                in: &roff
            )
        }
    }

    static func files(of command: Command, in roff: inout Roff) {
        guard command.opensStore else { return }
        roff.request("SH", "FILES")
        entry(
            Roff.italic("~/.local/share/portcullis/default.keystore"),
            "The store, unless `--store` names another; below `XDG_DATA_HOME` where that is set.",
            in: &roff
        )
        entry(
            Roff.italic("~/.config/portcullis/default.key"),
            "The key file, unless `--key-file` names another; below `XDG_CONFIG_HOME` where that is set.",
            in: &roff
        )
    }

    static func environment(of command: Command, in roff: inout Roff) {
        let all = command.all
        var variables: [(String, String)] = []
        if command.opensStore {
            variables.append(("HOME, XDG_DATA_HOME, XDG_CONFIG_HOME", "Where the files lie."))
            variables.append(("PORTCULLIS_AGENT", agent))
        }
        if all.contains(where: { $0.commandName == "guard" }) {
            variables.append(("SHELL", "What `portcullis guard` runs unless a program is named."))
        }
        if all.contains(where: { $0.takes("tz") || $0.words.contains("focus") }) {
            variables.append(("TZ", "The time zone, by its IANA name, where no option names one."))
        }
        guard !variables.isEmpty else { return }
        roff.request("SH", "ENVIRONMENT")
        for (name, text) in variables { entry(Roff.bold(name), text, in: &roff) }
    }

    private static let agent =
        "The socket of the session that the process runs in, set by `portcullis guard` of a sealed store."

    private static func entry(_ set: String, _ text: String, in roff: inout Roff) {
        roff.request("TP")
        roff.line(set)
        roff.paragraphs(text)
    }
}
