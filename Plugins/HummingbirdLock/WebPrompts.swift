#if HummingbirdLock
internal import AdapterKit
public import PortcullisCore
internal import Synchronization
public import WebScreens

/// Connects a session with an authenticator whose prompts the browser shows, such as `PasskeyAuthenticator`.
///
/// The host makes one object for each sign-in. The host passes ``id`` and ``generation`` to the
/// authenticator, which binds its challenges to both. The host passes the object itself to
/// ``WebLock/signIn(_:replacing:keeping:prompts:)``.
public final class WebPrompts: Sendable {
    /// The functions by which the session shows and answers the authenticator's prompts.
    public struct Source: Sendable {
        /// Returns the prompt that is shown; `nil` if there is none.
        public var current: @Sendable () -> WebPrompt?
        /// Returns a stream with a signal for each change of the prompt.
        public var changes: @Sendable () -> AsyncStream<Void>
        /// Passes the browser's answer, in JSON, to the prompt with this id. Returns whether that prompt was
        /// shown.
        public var answer: @Sendable (SecretBytes, String) -> Bool
        /// Reports to the authenticator whether the browser can use passkeys.
        public var setAvailable: @Sendable (Bool) -> Void

        /// Makes a source of these closures.
        public init(
            current: @escaping @Sendable () -> WebPrompt?,
            changes: @escaping @Sendable () -> AsyncStream<Void>,
            answer: @escaping @Sendable (SecretBytes, String) -> Bool,
            setAvailable: @escaping @Sendable (Bool) -> Void
        ) {
            self.current = current
            self.changes = changes
            self.answer = answer
            self.setAvailable = setAvailable
        }
    }

    private struct State {
        var generation: UInt64 = 0
        var source: Source?
    }

    /// The name by which the authenticator knows the session. It differs from the value of the session's
    /// cookie.
    public let id = Token.random(byteCount: 16)
    private let state = Mutex(State())

    /// Makes the prompts of a session that has not begun.
    public init() {}

    /// The generation of the session's lock.
    public var generation: UInt64 { state.withLock { $0.generation } }

    /// Connects the authenticator. The host calls this method before the sign-in.
    public func connect(_ source: Source) { state.withLock { $0.source = source } }

    var source: Source? { state.withLock { $0.source } }

    func set(generation: UInt64) { state.withLock { $0.generation = generation } }
}
#endif
