internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Finds the present time zone.
///
/// The system's setting is read each time, as one `readlink`, and whether the zone's file is still the same with one
/// `stat`; the file itself is read only when either changed.
final class ZoneReader: Sendable {
    private struct Known: Sendable {
        var source: String
        var zone: SystemZone
        /// Why it is not what the source names, or not as new.
        var problem: ZoneFileError?
    }

    /// What `TZ` says when it is neither a name nor a plain offset: a rule, or a mistake.
    let unknownSetting: String?

    private let link: String
    private let fixedName: String?
    private let setting: String?
    private let known = Mutex<Known?>(nil)

    /// Follows `TZ` as it is now, or else the link that the system keeps.
    ///
    /// - Parameter setting: what `TZ` says; `nil` where it is not set.
    init(link: String = "/etc/localtime", setting: String? = ZoneReader.environment) {
        self.link = link
        fixedName = nil
        let text = setting.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        self.setting = text?.isEmpty == false ? text : nil
        // A file that is there and cannot be read is no mistake in the setting.
        unknownSetting = self.setting.flatMap { setting in
            do throws(ZoneFileError) {
                _ = try SystemZone(named: Self.name(in: setting))
                return nil
            } catch { return error.code == .unknownZone ? setting : nil }
        }
    }

    /// Stays with the zone of a name.
    init(fixed name: String) throws(ZoneFileError) {
        link = ""
        setting = nil
        fixedName = name
        unknownSetting = nil
        known.withLock { [zone = try SystemZone(named: name)] in $0 = Known(source: name, zone: zone) }
    }

    /// What `TZ` says in the environment.
    private static var environment: String? {
        guard let value = unsafe getenv("TZ") else { return nil }
        return unsafe String(cString: value)
    }

    var name: String { current.name }

    /// The zone, in the data of now.
    var current: SystemZone { present.zone }

    /// Why the zone is not what the system's setting names, or not in the data of now.
    var problem: ZoneFileError? { present.problem }

    private var present: Known {
        let source = fixedName ?? setting ?? linkTarget() ?? ""
        let last = known.withLock(\.self)
        if let last, last.source == source, last.problem == nil, last.zone.isCurrent { return last }
        // Not under the lock, because files are read. Of two that are found at the same time either will do: an old one is
        // found out by its stamp at the next question.
        let new = Self.find(source, link: link, instead: last?.source == source ? last?.zone : nil)
        known.withLock { $0 = new }
        return new
    }

    /// - Parameter last: what the same source named before, which is better than nothing.
    private static func find(_ source: String, link: String, instead last: SystemZone?) -> Known {
        do throws(ZoneFileError) {
            guard source.isEmpty else {
                return Known(source: source, zone: try SystemZone(named: name(in: source)))
            }
            // A copy instead of a link; nothing at all means UTC.
            let zone = try SystemZone(file: link, name: "localtime").map { named($0, like: last) }
            return Known(source: source, zone: zone ?? .utc)
        } catch {
            return Known(source: source, zone: last ?? .utc, problem: error)
        }
    }

    #if os(Linux)
    /// A copy of a zone's file under the first name that has the same times: others look for it by its name.
    private static func named(_ zone: SystemZone, like last: SystemZone?) -> SystemZone {
        if let last, last.agrees(with: zone) { return zone.named(last.name) }
        let name = SystemZone.names.sorted().first { name in
            (try? SystemZone(named: name)).map { $0.agrees(with: zone) } ?? false
        }
        return name.map { zone.named($0) } ?? zone
    }
    #else
    private static func named(_ zone: SystemZone, like last: SystemZone?) -> SystemZone { zone }
    #endif

    /// The name of a zone in a setting or in the target of a link.
    private static func name(in source: String) -> String {
        var parts = source.split(separator: "/", omittingEmptySubsequences: false)
        if let name = SystemZone.name(in: source) {
            parts = name.split(separator: "/", omittingEmptySubsequences: false)
        } else if let folder = parts.lastIndex(of: "zoneinfo") {
            parts.removeFirst(folder + 1)
        }
        if parts.first == "posix" { parts.removeFirst() }
        let name = parts.joined(separator: "/")
        return offsetName(name) ?? name
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
