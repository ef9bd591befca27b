internal import ArgumentParser

/// Reads lines, and answers them.
@main
struct SwapAdaptersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swap-adapters",
        abstract: "A diary behind a passcode, on the back ends that are named.",
        discussion: "It reads lines: passcode 834912, unlock 834912, touch, write TEXT, read, lock."
    )

    @Option(help: "memory or linux.")
    var backends = BackendChoice.memory

    @Option(help: "The folder of what linux keeps.")
    var home = "swap-adapters.data"

    func run() async throws {
        let conversation = Conversation(diary: try Diary(try await backends.backends(in: home)))
        while let line = readLine() {
            for answer in await conversation.answer(to: line) { print(answer) }
        }
    }
}
