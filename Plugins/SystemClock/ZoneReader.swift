internal import AdapterKit
internal import Foundation
internal import PortcullisCore
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// Finds the present time zone.
///
/// Foundation on Linux keeps the zone it saw first; so the system's setting is read here each time, as one
/// `readlink`, and Foundation is asked only when it changed.
final class ZoneReader: Sendable {
    private struct Known {
        var source: String
        var zone: TimeZone
    }

    /// What `TZ` says when it is neither a name nor a plain offset: a rule, or a mistake.
    let unknownSetting: String?

    private let link: String
    private let fixed: TimeZone?
    private let environment: String?
    private let known = Mutex<Known?>(nil)

    /// Follows `TZ` as it is now, or else the link that the system keeps.
    init(link: String = "/etc/localtime", environment: [String: String] = ProcessInfo.processInfo.environment)
    {
        self.link = link
        self.fixed = nil
        let text = environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        self.environment = text?.isEmpty == false ? text : nil
        self.unknownSetting = self.environment.flatMap { Self.zone(named: $0) == nil ? $0 : nil }
    }

    init?(fixed name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.link = ""
        self.fixed = zone
        self.environment = nil
        self.unknownSetting = nil
    }

    var name: String { current.identifier }

    var current: TimeZone {
        if let fixed { return fixed }
        let source = environment ?? linkTarget() ?? ""
        return known.withLock { known in
            if let known, known.source == source { return known.zone }
            // A TZ that is a rule and not a name, or a file that is not a link, is Foundation's to understand.
            let zone = Self.zone(named: source) ?? .current
            known = Known(source: source, zone: zone)
            return zone
        }
    }

    private static func zone(named source: String) -> TimeZone? {
        var name = source.components(separatedBy: "zoneinfo/").last ?? source
        if name.hasPrefix("posix/") { name.removeFirst(6) }
        return TimeZone(identifier: offsetName(name) ?? name)
    }

    /// The name of the zone that POSIX's `EST5` or `GMT+2` means: hours west of Greenwich, where Foundation takes the
    /// second for hours east.
    private static func offsetName(_ rule: String) -> String? {
        var rest = rule.drop { $0.isASCII && $0.isLetter }
        guard rule.count - rest.count >= 3 else { return nil }
        let sign = rest.first == "-" ? "-" : "+"
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        guard rest.first?.isNumber == true, rest.allSatisfy({ $0.isNumber || $0 == ":" }) else { return nil }
        // Half hours have no such zone.
        guard let hours = Int(rest) else { return "Etc/GMT\(sign)\(rest)" }
        return hours == 0 ? "Etc/UTC" : "Etc/GMT\(sign)\(hours)"
    }

    private func linkTarget() -> String? {
        var buffer = [CChar](repeating: 0, count: 1_024)
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension TimeZone {
    /// The stretches of equal offset that touch a range of seconds since 1970.
    func spans(in range: ClosedRange<Int>) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var start = range.lowerBound
        while true {
            let date = Date(timeIntervalSince1970: Double(start))
            let offset = secondsFromGMT(for: date)
            let next = nextDaylightSavingTimeTransition(after: date).map { Int($0.timeIntervalSince1970) }
            guard let next, next > start, next <= range.upperBound else {
                return spans + [ZoneSpan(start: start, end: nil, offset: offset)]
            }
            spans.append(ZoneSpan(start: start, end: next, offset: offset))
            start = next
        }
    }
}
