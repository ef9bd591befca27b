import AccountService
import PortcullisCore
import PortcullisTesting
import Synchronization

/// Takes the mails that a server sends.
final class MailTray: Sendable {
    /// While the gate is closed, a mail to ``slowAddress`` is not finished.
    let gate = Gate()
    let slowAddress = MailAddress("anna@example.com")
    private let mails = Mutex<[(to: MailAddress, text: String)]>([])

    /// The function through which a server mails.
    var room: MailRoom { { Slot(tray: self, to: $0) } }

    var count: Int { mails.withLock { $0.count } }

    /// Waits for the mail after the first `count` mails, and returns its code. Mails are sent after the
    /// answer.
    func code(after count: Int) async throws -> String {
        while true {
            if let text = mails.withLock({ $0.count > count ? $0[count].text : nil }) {
                return String(text.prefix(6))
            }
            // A test cannot wait for the server's queue of mails, so it polls.
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
