import Foundation
import Reporting

/// Sixteen who put at once: tasks of one process, or processes.
struct Writers {
    let bench: Bench
    private let writers = 16
    private let operations = 60

    func run() async throws -> Table {
        let frame = try await bench.frameSize()
        let raw = try RawFile(bench.path("writers-raw"), size: frame)
        var (inside, apart) = (Turns(), Turns())
        let total = writers * operations
        func limit() throws { for index in 0..<total { try raw.put(index, []) } }
        let ours = try await Ours(bench.path("writers-ours"), items: writers)
        let path = try bench.path("writers-sqlite")
        let first = try SQLite(.sqlite, path, items: writers)
        let hasSQLite = first != nil
        first?.close()
        for _ in 0..<bench.rounds {
            try await inside.time(Column.limit, operations: total, limit)
            try await inside.time(Column.ours, operations: total) { try await tasks(ours) }
            if hasSQLite {
                try await inside.time(Column.sqlite, operations: total) { try await threads(path) }
            }
            try await apart.time(Column.limit, operations: total, limit)
            try await processes(Column.ours, "writers-ours", &apart)
            if hasSQLite {
                try await processes(Column.sqlite, "writers-sqlite", &apart)
            }
            inside.endRound()
            apart.endRound()
        }
        await ours.close()
        return Table(
            limit: Column.limit,
            peers: [Column.sqlite],
            [
                Table.Row(
                    "a put, 16 tasks of one process",
                    .time,
                    inside.figures(.median),
                    bars: [.limitOverOurs(4)]
                ),
                Table.Row("a put, 16 processes", .time, apart.figures(.median)),
            ]
        )
    }

    private func tasks(_ ours: Ours) async throws {
        let operations = operations
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let value = Items.value()
                    for _ in 0..<operations { try await ours.put(writer, value) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A thread and a connection for each writer, as SQLite wants it.
    private func threads(_ path: String) async throws {
        let (writers, operations) = (writers, operations)
        let failures = AsyncStream<String?> { continuation in
            for writer in 0..<writers {
                Thread.detachNewThread {
                    do {
                        guard let store = try SQLite(.sqlite, path, items: writers) else {
                            throw MeasuringFailed("SQLite is gone")
                        }
                        let value = Items.value()
                        for _ in 0..<operations { try store.put(writer, value) }
                        store.close()
                        continuation.yield(nil)
                    } catch {
                        continuation.yield("\(error)")
                    }
                }
            }
        }
        var ended = 0
        for await failure in failures {
            if let failure { throw MeasuringFailed(failure) }
            ended += 1
            if ended == writers { break }
        }
    }

    private func processes(_ column: String, _ place: String, _ turns: inout Turns) async throws {
        let path = try bench.path(place)
        let children = try (0..<writers).map { writer in
            try Bench.child([
                "work", column, path, "--items", "\(writers)", "--first", "\(writer)",
                "--puts", "\(operations)", "--waits",
            ])
        }
        for child in children { _ = try child.line() }
        try await turns.time(column, operations: writers * operations) {
            for child in children { try child.go() }
            for child in children { _ = try child.line() }
        }
        for child in children { _ = try child.end() }
    }
}
