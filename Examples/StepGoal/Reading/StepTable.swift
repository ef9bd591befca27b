/// Reads step counts from CSV: a line of column names, then a line for each count.
///
/// The columns `date` (or `startDate`) and `steps` (or `value`) are needed. The column `source` (or
/// `sourceName`) is optional, and all others are ignored. Quotes are those of RFC 4180.
struct StepTable: StepReader {
    private enum Place { case fieldStart, plain, quoted, quoteInQuoted, afterReturn }

    private struct Columns {
        var count: Int
        var date: Int
        var steps: Int
        var source: Int?
    }

    private static let longestLine = 1 << 20

    private var place = Place.fieldStart
    private var offset = 0
    private var lineStart = 0
    private var field: [UInt8] = []
    private var fields: [String] = []
    private var lineLength = 0
    private var columns: Columns?

    mutating func take(_ bytes: Span<UInt8>, _ handle: (StepSample) throws -> Void) throws {
        for index in bytes.indices {
            try step(bytes[index], handle)
            offset += 1
        }
    }

    mutating func finish(_ handle: (StepSample) throws -> Void) throws {
        if place == .quoted { throw error("the file ends inside of quotes", offset) }
        if lineLength > 0, place != .afterReturn { try endLine(handle) }
        if columns == nil { throw error("there is no line of column names", offset) }
    }

    private mutating func step(_ byte: UInt8, _ handle: (StepSample) throws -> Void) throws {
        if place == .afterReturn {
            place = .fieldStart
            if byte == UInt8(ascii: "\n") {
                lineStart = offset + 1
                return
            }
        }
        lineLength += 1
        guard lineLength <= Self.longestLine else { throw error("a line without an end", lineStart) }
        if place == .quoted {
            if byte == UInt8(ascii: "\"") { place = .quoteInQuoted } else { field.append(byte) }
            return
        }
        switch byte {
        case UInt8(ascii: "\""):
            switch place {
            case .fieldStart: place = .quoted
            case .quoteInQuoted:
                field.append(byte)
                place = .quoted
            default: throw error("quotes inside of a field", offset)
            }
        case UInt8(ascii: ","): endField()
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            try endLine(handle)
            if byte == UInt8(ascii: "\r") { place = .afterReturn }
        default:
            guard place != .quoteInQuoted else { throw error("something after quotes", offset) }
            place = .plain
            field.append(byte)
            // A byte order mark is not a part of the first field, which may begin with quotes.
            if offset == StepFile.mark.count - 1, field == StepFile.mark {
                field = []
                place = .fieldStart
            }
        }
    }

    private mutating func endField() {
        fields.append(String(decoding: field, as: UTF8.self))
        field.removeAll(keepingCapacity: true)
        place = .fieldStart
    }

    private mutating func endLine(_ handle: (StepSample) throws -> Void) throws {
        endField()
        defer {
            fields.removeAll(keepingCapacity: true)
            lineStart = offset + 1
            lineLength = 0
        }
        if fields == [""] { return }
        guard let columns else {
            columns = try header()
            return
        }
        guard fields.count == columns.count else {
            throw error("\(fields.count) fields where there are \(columns.count) columns", lineStart)
        }
        guard let start = RecordTime(fields[columns.date]) else {
            throw error("no date such as 2026-03-01 or 2026-03-01 08:00:00 +0100", lineStart)
        }
        guard let steps = StepSample.count(fields[columns.steps]) else {
            throw error("steps are a number from 0 to \(StepSample.most)", lineStart)
        }
        let source = columns.source.map { fields[$0] } ?? ""
        try handle(StepSample(date: start.date, hour: start.hour, steps: steps, source: source))
    }

    private func header() throws -> Columns {
        let names = fields.map { $0.lowercased() }
        func column(_ wanted: String...) -> Int? { names.firstIndex { wanted.contains($0) } }
        guard let date = column("date", "startdate"), let steps = column("steps", "value") else {
            throw error("the first line names no columns date and steps", lineStart)
        }
        return Columns(count: names.count, date: date, steps: steps, source: column("source", "sourcename"))
    }

    private func error(_ reason: String, _ offset: Int) -> StepFileError {
        StepFileError(offset: offset, reason: reason)
    }
}
