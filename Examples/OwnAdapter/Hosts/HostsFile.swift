internal import Foundation
internal import PortcullisCore

/// The file of hosts that ``HostsShield`` writes. The lines with a mark are the shield's.
struct HostsFile: Sendable {
    /// The content of the file.
    struct Hosts: Sendable {
        /// The lines without a mark, unchanged.
        var others: [Substring]
        var shields: [ShieldName: ShieldSelection]
    }

    /// The mark before the data of a shield. It shows a person which program wrote the line.
    private static let mark = "# portcullis "

    let path: String
    /// Returns whether the app may shield. It is called each time, because the answer may change.
    let isAllowed: @Sendable () -> Bool

    init(path: String, isAllowed: @escaping @Sendable () -> Bool = { true }) {
        (self.path, self.isAllowed) = (path, isAllowed)
    }

    var mayWrite: Bool { isAllowed() && FileManager.default.isWritableFile(atPath: path) }

    func read() throws(ShieldError) -> Hosts {
        let text: String
        do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw ShieldError(code: .stateUnreadable, message: "\(path) cannot be read", cause: error)
        }
        var hosts = Hosts(others: [], shields: [:])
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let mark = line.range(of: Self.mark) else {
                hosts.others.append(line)
                continue
            }
            let entry: Entry
            do {
                entry = try JSONDecoder().decode(Entry.self, from: Data(line[mark.upperBound...].utf8))
            } catch {
                throw ShieldError(
                    code: .stateUnreadable,
                    message: "a line of \(path) was changed",
                    cause: error
                )
            }
            hosts.shields[entry.shield] = entry.selection
        }
        return hosts
    }

    /// The data of a shield. The file has one line for each shield, and the line also names the shield's
    /// sites.
    private struct Entry: Codable {
        var shield: ShieldName
        var selection: ShieldSelection
    }

    /// Replaces the file by the new content in one step.
    func write(_ hosts: Hosts, isBlocked: (AppToken) -> Bool) throws(ShieldError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            var lines = hosts.others.map(String.init)
            // If the file ends with a line break, the shield's lines come before it.
            let end = lines.last == "" ? lines.popLast() : nil
            for (shield, selection) in hosts.shields.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let sites = selection.apps.filter(isBlocked).map(\.rawValue).sorted()
                let entry = String(
                    decoding: try encoder.encode(Entry(shield: shield, selection: selection)),
                    as: UTF8.self
                )
                lines.append(
                    (sites.isEmpty ? "" : "0.0.0.0 \(sites.joined(separator: " ")) ") + Self.mark + entry
                )
            }
            if let end { lines.append(end) }
            let target = URL(filePath: path)
            try Data(lines.joined(separator: "\n").utf8).write(to: target, options: .atomic)
        } catch {
            throw ShieldError(code: .systemFailure, message: "\(path) cannot be written", cause: error)
        }
    }
}
