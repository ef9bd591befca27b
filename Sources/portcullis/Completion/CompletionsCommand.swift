internal import ArgumentParser
internal import CommandCompletion

/// `portcullis completions …`: writes a script that makes a shell complete commands and names.
struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        _superCommandName: "portcullis",
        abstract: "Write what makes a shell complete commands, options and names.",
        discussion: """
            `make install` puts it where the shells look. By hand, for the session:

              bash: source <(portcullis completions bash)
              zsh:  source <(portcullis completions zsh)
              fish: portcullis completions fish | source

            Names of secrets are read from the store that the line names. Nothing is asked for, so there are none \
            behind --passphrase-file, nor while another process writes for longer.
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "The shell.") var shell: Shell

    func run() async throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try StandardOutput.write(line: CompletionScript.text(of: Portcullis.self, for: kind))
    }
}
