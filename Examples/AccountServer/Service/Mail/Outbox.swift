internal import Logging
package import PortcullisCore
internal import ServiceLifecycle
internal import Synchronization

/// Mails that wait to be sent. No request waits for a mail, so the time of an answer does not show whether
/// there is one.
///
/// Each mail waits for a delay first. Several mails are sent at once, so a slow one does not hold the others
/// up. Mails that wait are lost if the process ends. The person then asks for another code.
final class Outbox: Service {
    private struct Entry: Sendable {
        var mail: Mail
        /// Time since boot.
        var due: Duration
    }

    struct Mail: Sendable {
        var to: MailAddress
        var purpose: CodeOwner.Purpose
        var digits: SecretBytes
    }

    private let entries: AsyncStream<Entry>
    private let queue: AsyncStream<Entry>.Continuation
    private let notifier: MailRoom
    private let senders: Int
    private let clock: any LockClock
    private let delay: @Sendable () -> Duration
    private let metrics: Metrics
    private let logger: Logger
    private let work = Mutex<Task<Void, Never>?>(nil)

    /// An outbox.
    ///
    /// - Parameters:
    ///   - notifier: returns the notifier that mails to an address.
    ///   - senders: how many mails are sent at once.
    ///   - clock: measures the delay.
    ///   - delay: how long a mail waits before it is sent. The time behind other mails counts.
    init(
        _ notifier: @escaping MailRoom,
        senders: Int,
        clock: any LockClock,
        delay: @escaping @Sendable () -> Duration,
        metrics: Metrics,
        logger: Logger
    ) {
        (entries, queue) = AsyncStream.makeStream(of: Entry.self, bufferingPolicy: .bufferingOldest(1_000))
        self.notifier = notifier
        self.senders = senders
        self.clock = clock
        self.delay = delay
        self.metrics = metrics
        self.logger = logger
    }

    func add(_ mail: Mail) {
        metrics.mailBegan()
        // The queue takes no mail if it is full, or after the server was told to end.
        let entry = Entry(mail: mail, due: clock.now.sinceBoot + delay())
        guard case .enqueued = queue.yield(entry) else { return metrics.mailEnded("dropped") }
    }

    /// Sends mails until the server is told to end. Mails that wait then are still sent.
    func run() async {
        let work = Task { await sendAll() }
        self.work.withLock { $0 = work }
        await withGracefulShutdownHandler {
            await work.value
        } onGracefulShutdown: {
            self.queue.finish()
        }
        // The group treats a service that ends before the shutdown as a fault. So this service waits for the
        // shutdown.
        try? await gracefulShutdown()
    }

    /// Drops the mails that wait, and ends the sending of others.
    func endAll() { work.withLock { $0 }?.cancel() }

    private func sendAll() async {
        await withTaskGroup(of: Void.self) { group in
            var busy = 0
            for await entry in entries {
                // The wait is in this loop, so that it occupies no sender.
                do { try await clock.sleep(until: .sinceBoot(entry.due)) } catch {
                    // The task was cancelled because the server ends. The stream still gives the waiting
                    // mails, which are dropped.
                    drop()
                    continue
                }
                if busy == senders { await group.next() } else { busy += 1 }
                group.addTask { await self.send(entry.mail) }
            }
        }
    }

    private func send(_ mail: Mail) async {
        do {
            try await notifier(mail.to).deliver(Self.text(mail))
            metrics.mailEnded("sent")
        } catch {
            // If the server ends, the failure is not the mail command's fault.
            guard !Task.isCancelled else { return drop() }
            metrics.mailEnded("failed")
            logger.error("mail failed", metadata: ["reason": "\(error)"])
        }
    }

    private func drop() {
        metrics.mailEnded("dropped")
        logger.notice("mail dropped", metadata: ["reason": "the server ends"])
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

/// Returns the notifier that mails to an address.
package typealias MailRoom = @Sendable (MailAddress) -> any Notifier
