internal import AccountService
package import Foundation
internal import GcryptKeystore
internal import Logging
internal import Observation
package import PortcullisCore
internal import ServiceLifecycle

/// The account server of the other example inside this process, with three accounts.
package struct DemoServer: Sendable {
    /// The server's address.
    package let address: URL
    private let task: Task<Void, any Error>
    private let store: GcryptKeystore

    private static let accounts = """
        [{"id": "anna", "role": "staff", "email": "anna@example.com"},
         {"id": "quinn", "role": "staff", "email": "quinn@example.com", "quarantine": "Your contract has ended."},
         {"id": "carl", "role": "customer", "email": "carl@example.com"}]
        """

    /// Starts the server, and returns when it listens.
    package static func start(in folder: String, clock: any LockClock, _ mails: DemoMail) async throws
        -> DemoServer
    {
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: "\(folder)/accounts.keystore",
                credential: .keyFile("\(folder)/accounts.key")
            )
        )
        var settings = ServerSettings()
        settings.port = 0
        let server = try AccountServer(
            settings,
            store: store,
            sealer: GcryptPasscodeSealer(),
            clock: clock,
            directory: AccountDirectory(json: Array(accounts.utf8)),
            mail: { DemoTray(recipient: $0, mails: mails) },
            logger: Logger(label: "repair-desk") { _ in SwiftLogNoOpLogHandler() }
        )
        let (ports, told) = AsyncThrowingStream<Int, any Error>.makeStream()
        let task = Task {
            do {
                try await server.run { told.yield($0) }
                told.finish()
            } catch {
                told.finish(throwing: error)
                throw error
            }
        }
        for try await port in ports {
            guard let address = URL(string: "http://127.0.0.1:\(port)") else { break }
            return DemoServer(address: address, task: task, store: store)
        }
        throw CancellationError()
    }

    /// Ends the server.
    package func stop() async {
        task.cancel()
        _ = await task.result
        await store.close()
    }
}

/// The last mail, for the screen.
@MainActor
@Observable
package final class DemoMail {
    package fileprivate(set) var last: String?
    package nonisolated init() {}
}

/// Shows a mail on the screen instead of sending it.
private struct DemoTray: Notifier {
    let recipient: MailAddress
    let mails: DemoMail

    func requestAuthorization() async -> Bool { true }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        await show("Mail to \(recipient): \(notification.body)")
    }

    @MainActor
    private func show(_ text: String) { mails.last = text }

    func withdraw(_ ids: Set<String>) async {}
}
