/// Shows notifications to the person.
///
/// This port requires only abilities that are common to system notifications, mails and lines on a terminal.
/// A notifier that can also deliver at a later time is a ``SchedulingNotifier``. `DeferredNotifier` in
/// AdapterKit adds later delivery to any notifier.
///
/// ## For callers
/// - An id can be used any number of times. On a platform that keeps notifications visible, a new
///   notification replaces the visible one of the same id.
/// - Notifications are delivered in the order of the calls.
/// - ``deliver(_:)`` returns when the platform has accepted the notification. The person may see it later or
///   never.
///
/// ## For implementers
/// - A call never waits for a slow program that receives the notifications. If the queue of waiting
///   notifications is full, the call throws.
/// - A notification is delivered at most once.
/// - Without permission ``deliver(_:)`` throws ``NotifierErrorCode/notAuthorized``. A call that throws
///   delivers nothing.
/// - Several tasks may call at once. A call in a cancelled task either takes effect or throws.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol Notifier: Sendable {
    /// Returns whether notifications may be shown. If the platform requires it, the person is asked first.
    func requestAuthorization() async -> Bool

    /// Delivers a notification now.
    ///
    /// - Throws: ``NotifierError`` when the platform does not accept the notification.
    func deliver(_ notification: LockNotification) async throws(NotifierError)

    /// Withdraws the notifications of these ids.
    ///
    /// A withdrawn notification that is pending is not delivered. A delivered notification disappears if the
    /// platform can remove it. Unknown ids are ignored.
    func withdraw(_ ids: Set<String>) async
}

/// A ``Notifier`` that can also deliver at a later time.
///
/// ## For callers
/// - A new notification replaces the pending one of the same id, even if the new one is delivered at once.
/// - Pending notifications are delivered in the order of their times.
/// - Times are times of the wall clock. If the clock is set forward past the notification's time, the
///   notification comes at once. If the clock is set back, the notification waits until the clock shows its
///   time. Notifications that became due while the machine slept come after it wakes.
///
/// ## For implementers
/// - A notification is delivered at most once, even if the clock is set back past the notification's time. A
///   notification that was withdrawn before its time is never delivered. The adapter's documentation says
///   whether pending notifications outlive the process.
/// - If a call throws, it schedules nothing, and the pending notification of the same id stays.
public protocol SchedulingNotifier: Notifier {
    /// Delivers a notification at the given time.
    ///
    /// - Parameters:
    ///   - notification: the notification.
    ///   - wall: the time since 1970-01-01T00:00:00Z. If that time has passed, the notification is delivered now.
    /// - Throws: ``NotifierError`` when the notification cannot be handed over or scheduled.
    func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError)

    /// The pending notifications, soonest first.
    func pending() async -> [PendingNotification]
}

/// The texts and the id of one notification.
public struct LockNotification: Hashable, Sendable, Codable {
    /// The id under which the notification can be replaced and withdrawn.
    public var id: String
    /// The headline.
    public var title: String
    /// The text beneath the headline.
    public var body: String

    /// Makes a notification from these parts.
    public init(id: String, title: String, body: String) {
        self.id = id
        self.title = title
        self.body = body
    }
}

/// A notification that waits for its time.
public struct PendingNotification: Hashable, Sendable {
    /// The notification that will be delivered.
    public var notification: LockNotification
    /// The notification's delivery time, since 1970-01-01T00:00:00Z.
    public var wall: Duration

    /// Makes a pending notification from these parts.
    public init(notification: LockNotification, wall: Duration) {
        self.notification = notification
        self.wall = wall
    }
}

/// Why a ``Notifier`` could not deliver a notification.
public typealias NotifierError = CodedError<NotifierErrorCode>

/// The codes of a ``NotifierError``. An adapter can add its own.
public struct NotifierErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// Notifications are not allowed.
    public static let notAuthorized = Self("notAuthorized")
    /// No notifier was configured.
    public static let unavailable = Self("unavailable")
    /// The platform failed. The message has the details.
    public static let systemFailure = Self("systemFailure")
}
