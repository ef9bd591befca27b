import AccountService
import PortcullisCore
import PortcullisTesting
import Synchronization

/// Takes the mails that a server sends.
final class MailTray: Sendable {
    /// Closed: mail to this address is being sent for so long.
    let gate = Gate()
    let slowAddress = MailAddress("anna@example.com")
    private let mails = Mutex<[(to: MailAddress, text: String)]>([])

    /// What a server mails through.
    var room: MailRoom { { Slot(tray: self, to: $0) } }

    var count: Int { mails.withLock { $0.count } }

    /// The code of the first mail after so many; mails are sent after the answer, so it may take a while.
    func code(after count: Int) async throws -> String {
        while true {
            if let text = mails.withLock({ $0.count > count ? $0[count].text : nil }) {
                return String(text.prefix(6))
            }
            // The server's queue of mails cannot be waited for from outside.
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private struct Slot: Notifier {
        let tray: MailTray
        let to: MailAddress

        func requestAuthorization() async -> Bool { true }
        func deliver(_ notification: LockNotification) async throws(NotifierError) {
            if to == tray.slowAddress { _ = await tray.gate.pass() }
            tray.mails.withLock { $0.append((to, notification.body)) }
        }
        func withdraw(_ ids: Set<String>) async {}

    }
}
