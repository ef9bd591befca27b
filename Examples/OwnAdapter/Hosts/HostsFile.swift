internal import Foundation
internal import PortcullisCore

/// The ground of ``HostsShield``: a file of hosts, of which the lines behind a mark are the shield's.
struct HostsFile: Sendable {
    /// What the file says.
    struct Hosts: Sendable {
        /// The lines of others, as they stand.
        var others: [Substring]
        var shields: [ShieldName: ShieldSelection]
    }

    /// Stands between a line and what it is about, so that a person sees who wrote it.
    private static let mark = "# portcullis "

    let path: String
    /// Whether the app has the right to shield, asked each time.
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

    /// A shield is a line of its own, and one for each of its sites; a line of a site has the shield's name, too.
    private struct Entry: Codable {
        var shield: ShieldName
        var selection: ShieldSelection
    }

    /// Puts other content in the file's place in one step.
    func write(_ hosts: Hosts, isBlocked: (AppToken) -> Bool) throws(ShieldError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            var lines = hosts.others.map(String.init)
            // A file ends with a line's end; ours come before it.
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
