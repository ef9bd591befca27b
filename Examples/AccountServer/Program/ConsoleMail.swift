internal import AccountService
internal import PortcullisCore

/// Shows on the console what would be mailed to one address.
struct ConsoleMail: Notifier {
    let recipient: MailAddress
    let console: any Notifier

    func requestAuthorization() async -> Bool { true }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        var notification = notification
        notification.title = "Mail to \(recipient): \(notification.title)."
        try await console.deliver(notification)
    }

    func withdraw(_ ids: Set<String>) async { await console.withdraw(ids) }
}
