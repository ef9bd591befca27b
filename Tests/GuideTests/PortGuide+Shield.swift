import AdapterKit
import Foundation
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// What the platform gives: one list of what is shut. `shut` may block.
protocol BlockList: Sendable {
    var isPermitted: Bool { get }
    var catalogue: ShieldCatalogue { get }
    func state(of app: AppToken) -> ShieldCoverage.State
    func state(of category: CategoryToken) -> ShieldCoverage.State
    /// Shuts what is chosen and not refused, and opens everything else, in one step.
    func shut(_ chosen: ShieldSelection) throws
}

final class BlockListShield: ShieldController {
    private let list: any BlockList
    private let stored: StoredValue<[ShieldName: ShieldSelection], any Error>
    private let turn = SerialTurn()
    private let thread = WorkerThread()

    init(_ list: any BlockList, in store: any SecretStore, as name: SecretName) {
        self.list = list
        let encode = { @Sendable (shields: [ShieldName: ShieldSelection]) in
            SecretBytes(copying: try JSONEncoder().encode(shields))
        }
        let decode = { @Sendable (value: SecretBytes) in
            let data = value.withBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
            return try JSONDecoder().decode([ShieldName: ShieldSelection].self, from: data)
        }
        stored = StoredValue(name, in: store, coding: .init(encode: encode, decode: decode, failed: { $0 }))
    }

    var authorization: ShieldAuthorization {
        get async { list.isPermitted ? .approved : .denied(howToAllow: "Allow it in the settings.") }
    }
    func requestAuthorization() async -> ShieldAuthorization { await authorization }
    func catalogue() async -> ShieldCatalogue? { list.catalogue }

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        guard list.isPermitted else { throw ShieldError(code: .notAuthorized, message: "it is not allowed") }
        try await set(selection.isEmpty ? nil : selection, as: shield)
    }
    func clear(_ shield: ShieldName) async throws(ShieldError) { try await set(nil, as: shield) }

    /// One call at a time, because a call waits between its steps; a step that fails undoes the one before.
    private func set(_ selection: ShieldSelection?, as shield: ShieldName) async throws(ShieldError) {
        await turn.begin()
        defer { turn.end() }
        do {
            let old = try await stored.read()?.value ?? [:]
            var new = old
            new[shield] = selection
            try await shut(new)
            do { _ = try await stored.write(new, if: .none) } catch {
                try await shut(old)
                throw error
            }
        } catch {
            let isOfRecord = error is SecretStoreError || error is DecodingError
            let code = isOfRecord ? ShieldErrorCode.stateUnreadable : .systemFailure
            throw ShieldError(code: code, message: "the shield was not changed", cause: error)
        }
    }

    private func shut(_ shields: [ShieldName: ShieldSelection]) async throws {
        let apps = Set(shields.values.flatMap(\.apps))
        let categories = Set(shields.values.flatMap(\.categories))
        try await thread.run { [list] in try list.shut(.init(apps: apps, categories: categories)) }
    }

    func coverage() async -> ShieldCoverage {
        var coverage = ShieldCoverage(applied: (try? await stored.read()?.value) ?? [:])
        for selection in coverage.applied.values {
            for app in selection.apps { coverage.apps[app] = list.state(of: app) }
            for category in selection.categories { coverage.categories[category] = list.state(of: category) }
        }
        return coverage
    }
}

extension ShieldErrorCode {
    static let listTooLong = Self("blockListShield.listTooLong")
}

@Suite("Guides: a shield", .timeLimit(.minutes(5)))
struct ShieldPortGuide {
    private static func subject() -> ShieldControllerSubject {
        let subject = ShieldControllerSubject {
            let (list, store) = (MyList(), InMemorySecretStore())
            let name = try SecretName("shields", in: SecretNamespace("blockListShield"))
            let make = { @Sendable in BlockListShield(list, in: store, as: name) }
            return .init(
                controller: make(),
                tokens: .init(
                    app: AppToken("chess"),
                    otherApp: AppToken("mail"),
                    category: CategoryToken("games"),
                    refused: AppToken("settings")
                ),
                isShut: { app in list.isShut(app) },
                revoke: { list.revoke() },
                failNext: { list.failNext() },
                reopen: { make() }
            )
        }
        return subject
    }

    @Test("X-3: keeps the contract", arguments: ShieldControllerContract.allCases)
    func contract(_ clause: ShieldControllerContract) async throws {
        let subject = Self.subject()
        try await clause.check(subject)
    }

    @Test("X-3: every clause applies")
    func report() async throws {
        let subject = Self.subject()
        let report = await ContractReport(of: ShieldControllerContract.self) {
            clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept && report.notApplicable.isEmpty)
    }

    @Test(
        "X-3: a record that cannot be written",
        arguments: [ShieldControllerContract.failedApply, .failedClear]
    )
    func unwritten(_ clause: ShieldControllerContract) async throws {
        let subject = ShieldControllerSubject {
            let (list, store) = (MyList(), FailingSecretStore(InMemorySecretStore()))
            let name = try SecretName("shields", in: SecretNamespace("blockListShield"))
            return .init(
                controller: BlockListShield(list, in: store, as: name),
                tokens: .init(app: AppToken("chess"), otherApp: AppToken("mail")),
                isShut: { app in list.isShut(app) },
                failNext: {
                    store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space left"))
                }
            )
        }
        #expect(try await clause.check(subject) == .kept)
    }

    @Test("X-3: a code of the adapter's own")
    func code() { #expect(ShieldErrorCode.listTooLong != .systemFailure) }
}

/// A list in memory.
private final class MyList: BlockList {
    private struct State {
        var isPermitted = true
        var mustFail = false
        var shut: Set<AppToken> = []
    }

    private struct Failed: Error {}
    private let state = Mutex(State())

    let catalogue = ShieldCatalogue(
        apps: [
            .init(token: AppToken("mail"), label: "Mail"), .init(token: AppToken("chess"), label: "Chess"),
        ],
        categories: [.init(token: CategoryToken("games"), label: "Games")]
    )

    var isPermitted: Bool { state.withLock { $0.isPermitted } }

    func state(of app: AppToken) -> ShieldCoverage.State {
        if app.rawValue == "settings" { return .refused(reason: "The way to allow it would be shut.") }
        return catalogue.apps.contains { $0.token == app } ? .gated : .unresolved
    }

    func state(of category: CategoryToken) -> ShieldCoverage.State {
        category.rawValue == "games" ? .gated : .unresolved
    }

    func shut(_ chosen: ShieldSelection) throws {
        let games = chosen.categories.contains(CategoryToken("games")) ? [AppToken("chess")] : []
        try state.withLock { state in
            defer { state.mustFail = false }
            if state.mustFail { throw Failed() }
            state.shut = chosen.apps.union(games).filter { self.state(of: $0) == .gated }
        }
    }

    func isShut(_ app: AppToken) -> Bool { state.withLock { $0.shut.contains(app) } }
    func revoke() { state.withLock { $0.isPermitted = false } }
    func failNext() { state.withLock { $0.mustFail = true } }
}
