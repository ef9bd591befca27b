internal import Logging
package import PortcullisCore
internal import ServiceLifecycle
internal import Synchronization

/// Mails that wait for their turn, so that no request waits for a mail and none shows whether there was one.
///
/// Several are sent at once, so one that takes long does not hold the others up. What waits ends with the process; the
/// person asks for another code then.
final class Outbox: Service {
    struct Mail: Sendable {
        var to: MailAddress
        var purpose: CodeOwner.Purpose
        var digits: SecretBytes
    }

    private let mails: AsyncStream<Mail>
    private let queue: AsyncStream<Mail>.Continuation
    private let notifier: MailRoom
    private let senders: Int
    private let metrics: Metrics
    private let logger: Logger
    private let work = Mutex<Task<Void, Never>?>(nil)

    /// An outbox.
    ///
    /// - Parameters:
    ///   - notifier: gives what mails to an address.
    ///   - senders: how many mails are sent at once.
    init(_ notifier: @escaping MailRoom, senders: Int, metrics: Metrics, logger: Logger) {
        (mails, queue) = AsyncStream.makeStream(of: Mail.self, bufferingPolicy: .bufferingOldest(1_000))
        self.notifier = notifier
        self.senders = senders
        self.metrics = metrics
        self.logger = logger
    }

    func add(_ mail: Mail) {
        metrics.mailBegan()
        // A server that is told to end takes no more mails, either.
        guard case .enqueued = queue.yield(mail) else { return metrics.mailEnded("dropped") }
    }

    /// Sends mails until the server is to end; those that wait then are still sent.
    func run() async {
        let work = Task { await sendAll() }
        self.work.withLock { $0 = work }
        await withGracefulShutdownHandler {
            await work.value
        } onGracefulShutdown: {
            self.queue.finish()
        }
        // To the group, a service that ends before the others are told to is a fault.
        try? await gracefulShutdown()
    }

    /// Drops the mails that wait, and ends the sending of others.
    func endAll() { work.withLock { $0 }?.cancel() }

    private func sendAll() async {
        await withTaskGroup(of: Void.self) { group in
            var busy = 0
            for await mail in mails {
                if busy == senders { await group.next() } else { busy += 1 }
                group.addTask { await self.send(mail) }
            }
        }
    }

    private func send(_ mail: Mail) async {
        do {
            try await notifier(mail.to).deliver(Self.text(mail))
            metrics.mailEnded("sent")
        } catch {
            metrics.mailEnded("failed")
            logger.error("mail failed", metadata: ["reason": "\(error)"])
        }
    }

    private static func text(_ mail: Mail) -> LockNotification {
        let digits = mail.digits.withBytes { bytes in
            bytes.indices.reduce(into: "") { $0.unicodeScalars.append(UnicodeScalar(bytes[$1])) }
        }
        let what = mail.purpose == .signIn ? "sign in" : "reset your passcode"
        return LockNotification(
            id: mail.purpose.rawValue,
            title: mail.purpose == .signIn ? "Your sign-in code" : "Your reset code",
            body:
                "\(digits) is your code to \(what). It is good for 15 minutes. If you did not ask for it, do nothing."
        )
    }
}

/// Gives the notifier that mails to an address.
package typealias MailRoom = @Sendable (MailAddress) -> any Notifier
