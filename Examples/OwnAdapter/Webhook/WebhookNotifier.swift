internal import AdapterKit
internal import Foundation
internal import HTTPPasscodeAccount
internal import PortcullisCore

/// A notifier that posts to an HTTP endpoint, such as a chat's or a pager's: a JSON text with `id`, `title`
/// and `body`.
///
/// A notification counts as delivered when it is queued. If the endpoint then does not accept it, it is lost,
/// and the host is told. The endpoint shows what it receives, so nothing can be withdrawn.
final class WebhookNotifier: Notifier {
    /// How many notifications may wait for the endpoint.
    static let capacity = 64

    private let queue: AsyncStream<LockNotification>.Continuation
    private let sender: Task<Void, Never>

    /// Makes a notifier for an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the address to post to.
    ///   - transport: sends the requests.
    ///   - isAllowed: whether the person wants notifications, asked each time.
    ///   - lost: is called with a notification that did not arrive, and the reason.
    init(
        _ endpoint: URL,
        over transport: any HTTPTransport,
        isAllowed: @escaping @Sendable () -> Bool = { true },
        lost: @escaping @Sendable (LockNotification, any Error) -> Void
    ) {
        self.isAllowed = isAllowed
        let (stream, queue) = AsyncStream<LockNotification>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.capacity)
        )
        self.queue = queue
        // The notifications are posted one after the other, so that they arrive in the order of the calls.
        sender = Task {
            for await notification in stream {
                do { try await Self.post(notification, endpoint, transport) } catch {
                    lost(notification, error)
                }
            }
        }
    }

    deinit { queue.finish() }

    private let isAllowed: @Sendable () -> Bool

    func requestAuthorization() async -> Bool { isAllowed() }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        guard isAllowed() else { throw NotifierError(code: .notAuthorized, message: "notifications are off") }
        guard case .enqueued = queue.yield(notification) else {
            throw NotifierError(code: .systemFailure, message: "the endpoint takes no more for now")
        }
    }

    func withdraw(_ ids: Set<String>) async {}

    /// Waits until all queued notifications were posted or lost. After this call nothing can be delivered.
    func finish() async {
        queue.finish()
        await sender.value
    }

    private static func post(
        _ notification: LockNotification,
        _ endpoint: URL,
        _ transport: any HTTPTransport
    ) async throws {
        let body = SecretBytes(copying: try JSONEncoder().encode(notification))
        let answer = try await transport.send(HTTPTransportRequest(.post, endpoint, body: body))
        guard (200..<300).contains(answer.status) else { throw Refused(status: answer.status) }
    }

    /// The endpoint answered, but did not accept the notification.
    struct Refused: Error { let status: Int }
}
