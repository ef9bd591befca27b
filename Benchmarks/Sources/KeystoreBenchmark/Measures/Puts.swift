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
        let peers = [Column.sqlite, Column.sqlcipher, Column.libsecret]
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
        if size <= bench.libsecretItems { try libsecret?.fill(size) }

        var turns = Turns()
        for _ in 0..<bench.rounds {
            for operation in 0..<operations {
                let index = Int.random(in: 0..<size)
                let value = Items.value()
                try await turns.time(Column.limit) { try raw.put(index, value) }
                try await turns.time(Column.ours) { try await ours.put(index, value) }
                if let sqlite { try await turns.time(Column.sqlite) { try sqlite.put(index, value) } }
                if let sqlcipher {
                    try await turns.time(Column.sqlcipher) { try sqlcipher.put(index, value) }
                }
                if let libsecret, size <= bench.libsecretItems, operation < max(3, 1000 / size) {
                    try await turns.time(Column.libsecret) { try libsecret.put(index, value) }
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
