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
        var rests: [Table.Row] = []
        for size in bench.sizes {
            let (turns, rested) = try await times(size, frame, libsecret)
            var bars = [Table.Bar.timesLimit(1.3)]
            if size == 10_000, turns.figures(.median)[Column.libsecret] != nil {
                bars.append(.peerOverOurs(Column.libsecret, 1500))
            }
            rows.append(Table.Row("put with \(size) items", .time, turns.figures(.median), bars: bars))
            means.append(Table.Row("the same, mean", .time, turns.figures(.mean)))
            rests.append(Table.Row("the same, after a rest of 5 ms", .time, rested.figures(.median)))
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
        let lines = rows.indices.flatMap { [rows[$0], means[$0], rests[$0]] }
        return (
            Table(limit: Column.limit, peers: peers, lines),
            Plot("A durable put of 256 bytes", over: "items in the store", series)
        )
    }

    /// The times of one put after the other, and of some after a rest.
    private func times(
        _ size: Int,
        _ frame: Int,
        _ libsecret: Libsecret?
    ) async throws -> (turns: Turns, rested: Turns) {
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
        var contestants: [Contestant] = [
            (Column.limit, raw.put),
            (Column.thread, { index, value in try await raw.put(index, value, on: thread) }),
            (Column.ours, ours.put),
        ]
        if let sqlite { contestants.append((Column.sqlite, sqlite.put)) }
        if let sqlcipher { contestants.append((Column.sqlcipher, sqlcipher.put)) }
        var turns = Turns()
        var rested = Turns()
        for _ in 0..<bench.rounds {
            for _ in 0..<operations { try await turn(of: contestants, among: size, into: &turns) }
            for _ in 0..<operations / 4 {
                try await turn(of: contestants, among: size, after: .milliseconds(5), into: &rested)
            }
            // By itself: it takes so long that the other processors go to sleep, from which they wake slowly.
            if let libsecret, size <= bench.libsecretItems {
                for _ in 0..<max(3, min(operations, 1000 / size)) {
                    let (index, value) = (Int.random(in: 0..<size), Items.value())
                    try await turns.time(Column.libsecret) { try libsecret.put(index, value) }
                }
            }
            turns.endRound()
            rested.endRound()
        }
        await ours.close()
        raw.close()
        sqlite?.close()
        sqlcipher?.close()
        return (turns, rested)
    }

    private typealias Contestant = (name: String, put: (Int, [UInt8]) async throws -> Void)

    /// A put of each contestant over the same item, which is drawn.
    private func turn(
        of contestants: [Contestant],
        among size: Int,
        after rest: Duration? = nil,
        into turns: inout Turns
    ) async throws {
        let (index, value) = (Int.random(in: 0..<size), Items.value())
        // Nobody is always the one who comes after the same one.
        for (name, put) in contestants.shuffled() {
            if let rest { try await Task.sleep(for: rest) }
            try await turns.time(name) { try await put(index, value) }
        }
    }
}
