import Foundation
import Reporting

/// Bytes of an item, on disk after compaction and in memory.
struct Sizes {
    let bench: Bench
    private let items = 100_000

    func run() async throws -> Table {
        var rows = try await rows(Items.valueSize, "item-")
        rows += try await self.rows(1024, "item-")
        // Too long for a Swift string without memory of its own.
        rows += try await self.rows(Items.valueSize, "one-of-the-longer-names-")
        return Table(limit: Column.limit, peers: [Column.sqlite, Column.sqlcipher], rows)
    }

    private func rows(_ valueSize: Int, _ prefix: String) async throws -> [Table.Row] {
        let path = try bench.path("size-\(valueSize)-\(prefix)")
        let ours = try await Ours(path, items: items, prefix: prefix)
        let empty = try Bench.size(path)
        try await ours.fill(items, valueSize: valueSize)
        await ours.close()
        let each = Double(try Bench.size(path) - empty) / Double(items)
        let name = prefix.utf8.count + 6
        let payload = Double(valueSize + name + "bench".utf8.count)
        var disk = [Column.ours: [each], Column.limit: [payload]]
        if valueSize == Items.valueSize, prefix == "item-" {
            for kind in SQLite.Kind.allCases { disk[kind.column] = try sqlite(kind) }
        }
        let output = try Bench.child(["work", Column.ours, path]).end()
        guard let grown = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw MeasuringFailed("the child said \(output)")
        }
        let what = "value of \(valueSize) B, name of \(name) B"
        return [
            Table.Row("on disk, \(what)", .bytes, disk, bars: [.atMost(payload + 192)]),
            Table.Row(
                "in memory, \(what)",
                .bytes,
                [Column.ours: [grown / Double(items)]],
                bars: [.atMost(200)]
            ),
        ]
    }

    private func sqlite(_ kind: SQLite.Kind) throws -> [Double] {
        let path = try bench.path("size-\(kind)")
        guard let store = try SQLite(kind, path, items: items) else { return [] }
        try store.fill(items)
        store.close()
        return [Double(try Bench.size(path)) / Double(items)]
    }
}

extension SQLite.Kind {
    var column: String { self == .sqlite ? Column.sqlite : Column.sqlcipher }
}
