#if os(Linux)
internal import ArgumentParser

/// `portcullis focus …`: apps that stay shut until the day's goal is reached.
struct FocusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus",
        _superCommandName: "portcullis",
        abstract: "App Lock: keep chosen apps shut each day until a goal is reached.",
        discussion: """
            Running programs of the chosen apps are stopped, and go on where they were when the number you name \
            has reached the goal. The next day they are shut again. `focus release` is the way out.

            It is a commitment, not a prison: whoever may end your processes or write your files can undo it.
            """,
        subcommands: [Run.self, Settings.self, Status.self, Apps.self, Release.self]
    )
}
#endif
