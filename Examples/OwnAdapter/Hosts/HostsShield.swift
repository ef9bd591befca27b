internal import AdapterKit
internal import PortcullisCore

/// A shield over web sites: lines in the machine's file of hosts, which lead a chosen site nowhere.
///
/// A token is a site's name, such as `example.org`. The file itself is all of the state: shields hold over restarts of
/// the app and of the machine, and one that is forgotten can be taken down with an editor. Browsers that resolve names by
/// themselves pass by it.
struct HostsShield: ShieldController {
    private let file: HostsFile
    private let sites: [String]
    private let queue = WorkerQueue("own-adapter.hosts")

    /// A shield over the sites in a file.
    ///
    /// - Parameters:
    ///   - file: the file of hosts.
    ///   - sites: what can be chosen.
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

    /// The file is read and written by one job, so that no other change comes in between.
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
