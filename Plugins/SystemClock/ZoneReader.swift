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
/// Without `TZ`, each call reads the system's link by one `readlink`. Each call checks the zone's file by
/// one `stat`. The file itself is read only if the link or the file has changed, or if the last read
/// failed.
final class ZoneReader: Sendable {
    private struct Known: Sendable {
        var source: String
        var zone: SystemZone
        /// The error of the last read; `nil` if the read succeeded. After an error, `zone` is the zone as it was
        /// read earlier, or UTC.
        var problem: ZoneFileError?
        /// Whether there was neither a link nor a file, so that `zone` is UTC. A file that appears later
        /// does not change the source, so each call looks for the file again.
        var isAbsent = false
    }

    /// The value of `TZ` if it is neither a zone's name nor a plain offset such as `EST5`. In all other
    /// cases, and if `TZ` is not set, this property is `nil`.
    let unknownSetting: String?

    private let link: String
    private let fixedName: String?
    private let setting: String?
    private let known = Mutex<Known?>(nil)

    /// Makes a reader that keeps to the present value of `TZ`. If `TZ` is not set, the reader follows the
    /// system's link.
    ///
    /// - Parameter setting: the value of `TZ`; `nil` if it is not set.
    init(link: String = "/etc/localtime", setting: String? = ZoneReader.environment) {
        self.link = link
        fixedName = nil
        let text = setting.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        self.setting = text?.isEmpty == false ? text : nil
        // A setting is unknown only if no zone has its name. If a zone's file exists but cannot be read, the
        // setting itself is correct.
        unknownSetting = self.setting.flatMap { setting in
            do throws(ZoneFileError) {
                _ = try SystemZone(named: Self.name(in: setting))
                return nil
            } catch { return error.code == .unknownZone ? setting : nil }
        }
    }

    /// Makes a reader that always uses the zone of this name.
    init(fixed name: String) throws(ZoneFileError) {
        link = ""
        setting = nil
        fixedName = name
        unknownSetting = nil
        known.withLock { [zone = try SystemZone(named: name)] in $0 = Known(source: name, zone: zone) }
    }

    /// The value of `TZ` in the environment; `nil` if it is not set.
    private static var environment: String? {
        guard let value = unsafe getenv("TZ") else { return nil }
        return unsafe String(cString: value)
    }

    var name: String { current.name }

    /// The present zone, with its present data.
    var current: SystemZone { present.zone }

    /// The error of the last read; `nil` if it succeeded. After an error, ``current`` is the zone as it was
    /// read earlier, or UTC.
    var problem: ZoneFileError? { present.problem }

    private var present: Known {
        let source = fixedName ?? setting ?? linkTarget() ?? ""
        let last = known.withLock(\.self)
        if let last, last.source == source, last.problem == nil, !last.isAbsent, last.zone.isCurrent {
            return last
        }
        // Files are read outside of the lock, so two threads may search for a zone at the same time. It does
        // not matter which result is kept: if an outdated result is kept, the next call notices that the file
        // has changed.
        let new = Self.find(
            source,
            link: link,
            isLink: fixedName == nil && setting == nil,
            instead: last?.source == source ? last?.zone : nil
        )
        known.withLock { $0 = new }
        return new
    }

    /// Finds the zone of a source: a zone's name, a value of `TZ`, or the target of the system's link. If the
    /// zone cannot be read, the result contains `last`, the zone that was last read from the same source. If
    /// `last` is `nil`, the result contains UTC.
    ///
    /// - Parameter isLink: whether the source is the target of the system's link.
    private static func find(
        _ source: String,
        link: String,
        isLink: Bool,
        instead last: SystemZone?
    ) -> Known {
        do throws(ZoneFileError) {
            if !source.isEmpty {
                do throws(ZoneFileError) {
                    return Known(source: source, zone: try SystemZone(named: name(in: source)))
                } catch {
                    // The link may lead to a file that has another name than a zone, or to another link.
                    guard isLink, error.code == .unknownZone else { throw error }
                    guard let zone = try SystemZone(file: link, name: "localtime") else { throw error }
                    return Known(source: source, zone: named(zone, like: last))
                }
            }
            // Instead of a link the system may have a copy of a zone file. If there is no file at all, the
            // zone is UTC.
            let zone = try SystemZone(file: link, name: "localtime").map { named($0, like: last) }
            return Known(source: source, zone: zone ?? .utc, isAbsent: zone == nil)
        } catch {
            return Known(source: source, zone: last ?? .utc, problem: error)
        }
    }

    #if os(Linux)
    /// Gives an IANA name to a zone that was read from a copy of a zone file. Other programs find a zone only
    /// by such a name. If `last` has the same local times, the zone gets the name of `last`. Otherwise the
    /// zone gets the name of the first zone with the same local times.
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

    /// Returns the name of the zone to which a value of `TZ`, or the target of the system's link, refers.
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

    /// The name of the zone for an offset such as `EST5` or `GMT+2`; `nil` for another rule. POSIX counts
    /// such an offset to the west of Greenwich, while Foundation would count `GMT+2` to the east.
    private static func offsetName(_ rule: String) -> String? {
        var rest = rule.drop { $0.isASCII && $0.isLetter }
        guard rule.count - rest.count >= 3 else { return nil }
        let sign = rest.first == "-" ? "-" : "+"
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        guard rest.first?.isNumber == true, rest.allSatisfy({ $0.isNumber || $0 == ":" }) else { return nil }
        // `Etc` has zones for whole hours only. For another offset the function returns a name that no zone
        // has, so the zone is not found.
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
