internal import AdapterKit
internal import CFuzzer
internal import PortcullisCore
import Foundation

/// The times that a walk through a zone begins at: before the first change, now, and after the last change.
private let moments = [ZoneTable.dawn, 1_767_225_600, 32_503_680_000]
/// The number of spans that a walk visits.
private let steps = 64
/// Times further away count as this one, see `ZoneTable.span(at:)`.
private let furthest = 1 << 56
/// RFC 9636, section 3.2.
private let offsets = (-25 * 3_600 + 1)...(26 * 3_600 - 1)

/// Reads the bytes as a zone file, and checks the properties that all zones have.
private func fuzzZone(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let file = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        let zone = try ZoneTable(file: file)
        for moment in moments { walk(zone, from: moment) }
        _ = zone.span(at: .min)
        _ = zone.span(at: .max)
        demandOrder(zone.changes(before: 4_102_444_800))
    } catch {
        precondition(!error.description.isEmpty, "an error without words")
    }
    return 0
}

/// Each span is found again at its first and at its last second, and the next one begins where it ends.
private func walk(_ zone: ZoneTable, from moment: Int) {
    var moment = moment
    for _ in 0..<steps {
        let span = zone.span(at: moment)
        precondition(offsets.contains(span.offset), "an offset out of range")
        precondition(span.start <= moment, "the span begins later")
        if span.start >= -furthest {
            precondition(zone.span(at: span.start) == span, "another span at its start")
        }
        guard let end = span.end, end <= furthest else { return }
        precondition(end > moment, "the span ends earlier")
        precondition(zone.span(at: end - 1) == span, "another span at its end")
        precondition(zone.span(at: end).start == end, "the next span begins elsewhere")
        moment = end
    }
}

/// The changes are in order of time.
private func demandOrder(_ changes: [ZoneTable.Change]) {
    for (earlier, later) in zip(changes, changes.dropFirst()) {
        precondition(earlier.second < later.second, "the changes are not in order")
    }
}

@main
enum ZoneFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzZone($0, $1) })
    }
}
