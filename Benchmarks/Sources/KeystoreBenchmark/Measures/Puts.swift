import Dispatch
import Foundation
import Reporting

/// Durable puts of 256 bytes, over how many items are there.
struct Puts {
    let bench: Bench
    /// In a round.
    let operations = 200

    func run() async throws -> (Table, Plot) {
        let frame = try await bench.frameSize()
        let libsecret = try Libsecret(bench.path("libsecret"))
        var rows: [Table.Row] = []
        var means: [Table.Row] = []
        for size in bench.sizes {
            let turns = try await times(size, frame, libsecret)
            var bars = [Table.Bar.timesLimit(1.3)]
            if size == 10_000, turns.figures(.median)[Column.libsecret] != nil {
                bars.append(.peerOverOurs(Column.libsecret, 1500))
            }
            rows.append(Table.Row("put with \(size) items", .time, turns.figures(.median), bars: bars))
            means.append(Table.Row("the same, mean", .time, turns.figures(.mean)))
        }
        let peers = [Column.thread, Column.sqlite, Column.sqlcipher, Column.libsecret]
        let series = ([Column.ours, Column.limit] + peers).map { name in
            Plot.Series(
                name == Column.limit ? "append + fdatasync" : name,
                zip(bench.sizes, rows).compactMap { size, row in
                    Figure(row.values[name] ?? []).map { (x: Double(size), y: $0.median) }
                }
            )
        }
        let lines = zip(rows, means).flatMap { [$0, $1] }
        return (
            Table(limit: Column.limit, peers: peers, lines),
            Plot("A durable put of 256 bytes", over: "items in the store", series)
        )
    }

    private func times(_ size: Int, _ frame: Int, _ libsecret: Libsecret?) async throws -> Turns {
        let ours = try await Ours(bench.path("put-ours-\(size)"), items: size)
        try await ours.fill(size)
        let raw = try RawFile(bench.path("put-raw-\(size)"), size: frame)
        try raw.fill(size)
        let sqlite = try SQLite(.sqlite, bench.path("put-sqlite-\(size)"), items: size)
        try sqlite?.fill(size)
        let sqlcipher = try SQLite(.sqlcipher, bench.path("put-sqlcipher-\(size)"), items: size)
        try sqlcipher?.fill(size)
        if let libsecret, size <= bench.libsecretItems {
            try libsecret.fill(size)
            // For the gets.
            try FileManager.default.copyItem(
                atPath: try bench.path("libsecret"),
                toPath: try bench.path("filled-libsecret-\(size)")
            )
        }

        let thread = DispatchQueue(label: "limit")
        var contestants: [(name: String, put: (Int, [UInt8]) async throws -> Void)] = [
            (Column.limit, raw.put),
            (Column.thread, { index, value in try await raw.put(index, value, on: thread) }),
            (Column.ours, ours.put),
        ]
        if let sqlite { contestants.append((Column.sqlite, sqlite.put)) }
        if let sqlcipher { contestants.append((Column.sqlcipher, sqlcipher.put)) }
        if let libsecret, size <= bench.libsecretItems {
            contestants.append((Column.libsecret, libsecret.put))
        }
        var turns = Turns()
        for _ in 0..<bench.rounds {
            for operation in 0..<operations {
                let index = Int.random(in: 0..<size)
                let value = Items.value()
                // Nobody is always the one who comes after the same one.
                for (name, put) in contestants.shuffled() {
                    if name == Column.libsecret, operation >= max(3, 1000 / size) { continue }
                    try await turns.time(name) { try await put(index, value) }
                }
            }
            turns.endRound()
        }
        await ours.close()
        raw.close()
        sqlite?.close()
        sqlcipher?.close()
        return turns
    }
}
