import Foundation
import Reporting

/// Reading 256 bytes, over how many items are there.
struct Gets {
    let bench: Bench
    /// In a pass, timed as a whole: a clock takes too long to look at for each.
    private let operations = 2_000
    /// In a round, of which the fastest counts.
    private let passes = 20

    func run() async throws -> (Table, Plot) {
        var rows: [Table.Row] = []
        for size in bench.sizes {
            var figures = try await times(size).figures(.fastest)
            figures[Column.libsecret] = try libsecret(size)
            rows.append(Table.Row("get with \(size) items", .time, figures, bars: [.atMost(2_000)]))
        }
        let peers = [Column.sqlite, Column.sqlcipher, Column.libsecret]
        let series = ([Column.ours] + peers).map { name in
            Plot.Series(
                name,
                zip(bench.sizes, rows).compactMap { size, row in
                    Figure(row.values[name] ?? []).map { (x: Double(size), y: $0.median) }
                }
            )
        }
        return (
            Table(limit: nil, peers: peers, rows),
            Plot("A get of 256 bytes", over: "items in the store", series)
        )
    }

    private func times(_ size: Int) async throws -> Turns {
        let ours = try await Ours(bench.path("get-ours-\(size)"), items: size)
        try await ours.fill(size)
        let sqlite = try SQLite(.sqlite, bench.path("get-sqlite-\(size)"), items: size)
        try sqlite?.fill(size)
        let sqlcipher = try SQLite(.sqlcipher, bench.path("get-sqlcipher-\(size)"), items: size)
        try sqlcipher?.fill(size)

        var turns = Turns()
        for _ in 0..<bench.rounds {
            for _ in 0..<passes {
                let order = (0..<operations).map { _ in Int.random(in: 0..<size) }
                try await time(Column.ours, ours, order, &turns)
                if let sqlite { try await time(Column.sqlite, sqlite, order, &turns) }
                if let sqlcipher { try await time(Column.sqlcipher, sqlcipher, order, &turns) }
            }
            turns.endRound()
        }
        await ours.close()
        sqlite?.close()
        sqlcipher?.close()
        return turns
    }

    private func time(
        _ name: String,
        _ contestant: some Contestant,
        _ order: [Int],
        _ turns: inout Turns
    ) async throws {
        // Whoever asks has just come by the name, which is no contestant's business.
        let names = order.map(contestant.name)
        try await turns.time(name, operations: order.count) {
            for name in names { try await contestant.get(name) }
        }
    }

    /// In a process of its own, since the library takes its file from the environment once.
    private func libsecret(_ size: Int) throws -> [Double] {
        guard size <= bench.libsecretItems else { return [] }
        let path = try bench.path("get-libsecret-\(size)")
        let filled = try bench.path("filled-libsecret-\(size)")
        // Filling it once more would take as long as for the puts.
        let isFilled = FileManager.default.fileExists(atPath: filled)
        if isFilled { try FileManager.default.copyItem(atPath: filled, toPath: path) }
        let child = try Bench.child(
            ["libsecret-gets", path, "\(size)", "\(bench.rounds)"] + (isFilled ? ["--is-filled"] : [])
        )
        return try child.end().split(separator: "\n").compactMap { Double($0) }
    }
}
