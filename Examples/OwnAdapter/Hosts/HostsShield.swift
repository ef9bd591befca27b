internal import AdapterKit
internal import PortcullisCore

/// A shield over web sites: lines in the machine's file of hosts, which make a chosen site unreachable.
///
/// A token is a site's name, such as `example.org`. The file holds the whole state. So shields outlast
/// restarts of the app and of the machine, and a forgotten shield can be removed with an editor. Browsers
/// that resolve names by themselves ignore the file.
struct HostsShield: ShieldController {
    private let file: HostsFile
    private let sites: [String]
    private let queue = WorkerQueue("own-adapter.hosts")

    /// Makes a shield over sites.
    ///
    /// - Parameters:
    ///   - file: the file of hosts.
    ///   - sites: the sites that can be chosen.
    init(_ file: HostsFile, sites: [String]) { (self.file, self.sites) = (file, sites) }

    var authorization: ShieldAuthorization {
        get async {
            file.mayWrite
                ? .approved : .denied(howToAllow: "Run the app as a user who may write \(file.path).")
        }
    }

    func requestAuthorization() async -> ShieldAuthorization { await authorization }

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        guard case .approved = await authorization else {
            throw ShieldError(code: .notAuthorized, message: "\(file.path) may not be written")
        }
        try await set(selection.isEmpty ? nil : selection, as: shield)
    }

    func clear(_ shield: ShieldName) async throws(ShieldError) { try await set(nil, as: shield) }

    /// Changes a shield. One job reads and writes the file, so that no other change comes in between.
    private func set(_ selection: ShieldSelection?, as shield: ShieldName) async throws(ShieldError) {
        try await queue.run { () throws(ShieldError) in
            var hosts = try file.read()
            guard hosts.shields[shield] != selection else { return }
            hosts.shields[shield] = selection
            try file.write(hosts) { state(of: $0) == .gated }
        }
    }

    func coverage() async -> ShieldCoverage {
        let shields = await queue.run { [file] in (try? file.read())?.shields ?? [:] }
        let apps = Set(shields.values.flatMap(\.apps))
        let categories = Set(shields.values.flatMap(\.categories))
        return ShieldCoverage(
            applied: shields,
            apps: Dictionary(uniqueKeysWithValues: apps.map { ($0, state(of: $0)) }),
            categories: Dictionary(uniqueKeysWithValues: categories.map { ($0, .unresolved) })
        )
    }

    func catalogue() async -> ShieldCatalogue? {
        ShieldCatalogue(
            apps: sites.sorted().map { .init(token: AppToken($0), label: $0) },
            categories: []
        )
    }

    private func state(of site: AppToken) -> ShieldCoverage.State {
        if site.rawValue == "localhost" { return .refused(reason: "This machine needs it itself.") }
        return sites.contains(site.rawValue) ? .gated : .unresolved
    }
}
