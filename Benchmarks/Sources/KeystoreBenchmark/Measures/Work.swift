import ArgumentParser
import CMalloc
import Foundation

/// The work of a child process.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Argument var column: String
    @Argument var path: String
    @Option var items = 1
    @Flag(help: "Puts the items there first, for profiling.") var fills = false
    @Option var first = 0
    @Option var puts = 0
    @Option var gets = 0
    @Option var opens = 1
    @Flag(help: "Says when it is ready, goes on after a line of input, and says when it is done.") var waits =
        false

    func run() async throws {
        if fills {
            let ours = try await Ours(path, items: items)
            try await ours.fill(items)
            await ours.close()
        }
        let before = Self.allocatedBytes
        for _ in 1..<max(1, opens) { try await Ours(path, items: 0).close() }
        if column == Column.ours {
            try await work(try await Ours(path, items: items), before)
        } else if let peer = try SQLite(.sqlite, path, items: items) {
            try await work(peer, before)
        }
    }

    private func work(_ contestant: some Contestant, _ before: Int) async throws {
        if waits { say("ready") }
        if waits { _ = readLine() }
        let value = Items.value()
        for _ in 0..<puts { try await contestant.put(first, value) }
        let name = contestant.name(first)
        for _ in 0..<gets { try await contestant.get(name) }
        say("\(Self.allocatedBytes - before)")
        try await contestant.close()
    }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// What malloc has given out.
    private static var allocatedBytes: Int {
        let statistics = mallinfo2()
        return statistics.uordblks + statistics.hblkhd
    }
}
