import ArgumentParser

/// Prints what a get of libsecret takes, in nanoseconds, for each round; nothing when it is not installed.
struct LibsecretGets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Argument var path: String
    @Argument var items: Int
    @Argument var rounds: Int
    @Flag(help: "The items are there already.") var isFilled = false

    func run() async throws {
        guard let store = try Libsecret(path) else { return }
        if isFilled { store.adopt(items) } else { try store.fill(items) }
        var turns = Turns()
        for _ in 0..<rounds {
            for _ in 0..<max(5, 2000 / items) {
                let name = store.name(Int.random(in: 0..<items))
                try await turns.time(Column.libsecret) { try store.get(name) }
            }
            turns.endRound()
        }
        for figure in turns.figures(.fastest)[Column.libsecret] ?? [] { print(figure) }
    }
}
