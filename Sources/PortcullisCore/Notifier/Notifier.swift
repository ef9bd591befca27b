/// Tells the person something now.
///
/// The smallest promise that a system's notifications, a mail and a line on a terminal can all keep. One that also delivers
/// later is a ``SchedulingNotifier``; `DeferredNotifier` of AdapterKit makes one of any notifier.
///
/// ## For callers
/// - An id can be used any number of times. Where the platform shows notifications for a while, one under an id that is
///   shown takes its place.
/// - Notifications come in the order of the calls.
/// - ``deliver(_:)`` returns when the notification is handed over, not when it was seen.
///
/// ## For implementers
/// - Never wait for a slow reader: the caller goes on at once. A notifier that can take no more throws.
/// - A notification is delivered at most once.
/// - Without the right ``deliver(_:)`` throws ``NotifierErrorCode/notAuthorized``. A call that throws delivers nothing.
/// - Calls may come from many tasks at once. A cancelled task's call either takes effect or throws.
/// - Prove it with the contract suite in `PortcullisTesting`.
public protocol Notifier: Sendable {
    /// Whether notifications may be shown; asks the person where the platform wants that.
    func requestAuthorization() async -> Bool

    /// Delivers a notification now.
    ///
    /// - Throws: ``NotifierError`` when it cannot be handed over.
    func deliver(_ notification: LockNotification) async throws(NotifierError)

    /// Takes notifications back: those that wait for their time are not delivered. What was handed over disappears where the
    /// platform can do that. Ids that are not known are passed by.
    func withdraw(_ ids: Set<String>) async
}

/// A ``Notifier`` that also delivers later.
///
/// ## For callers
/// - Delivering under an id that is pending replaces the pending one, also when the new one is delivered now.
/// - Those that wait come in the order of their times.
/// - A time is one of the wall clock: set forward over it, the notification comes at once; set back, it waits until
///   the clock shows its time. What came due while the machine was asleep comes afterwards.
///
/// ## For implementers
/// - A notification is delivered at most once, whatever becomes of the clock; one that was withdrawn in time, never.
///   Whether pending ones outlive the process is for the adapter to say.
/// - A call that throws schedules nothing, and leaves the pending one of its id.
public protocol SchedulingNotifier: Notifier {
    /// Delivers a notification at a time.
    ///
    /// - Parameters:
    ///   - notification: what to say.
    ///   - wall: when, as time since 1970-01-01T00:00:00Z; a time that has passed is now.
    /// - Throws: ``NotifierError`` when it cannot be handed over or scheduled.
    func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError)

    /// What is scheduled and not yet delivered, soonest first.
    func pending() async -> [PendingNotification]
}

/// What a ``Notifier`` says.
public struct LockNotification: Hashable, Sendable, Codable {
    /// The name under which it can be replaced and withdrawn.
    public var id: String
    /// The headline.
    public var title: String
    /// The text beneath.
    public var body: String

    /// A notification of these parts.
    public init(id: String, title: String, body: String) {
        self.id = id
        self.title = title
        self.body = body
    }
}

/// A notification that waits for its time.
public struct PendingNotification: Hashable, Sendable {
    /// What will be said.
    public var notification: LockNotification
    /// When, as time since 1970-01-01T00:00:00Z.
    public var wall: Duration

    /// A pending notification of these parts.
    public init(notification: LockNotification, wall: Duration) {
        self.notification = notification
        self.wall = wall
    }
}

/// Why a ``Notifier`` could not deliver.
public typealias NotifierError = CodedError<NotifierErrorCode>

/// The kinds of a ``NotifierError``, open for more.
public struct NotifierErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The person does not want notifications.
    public static let notAuthorized = Self("notAuthorized")
    /// No notifier was configured.
    public static let unavailable = Self("unavailable")
    /// The platform failed; the message says how.
    public static let systemFailure = Self("systemFailure")
}
