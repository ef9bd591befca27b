#if HummingbirdLock
internal import AdapterKit
public import PortcullisCore
internal import Synchronization
public import WebScreens

/// Between a session and an authenticator whose prompts are shown by the browser, such as `PasskeyAuthenticator`.
///
/// The host makes one for each sign-in, hands ``id`` and ``generation`` to the authenticator, which binds its challenges to them,
/// and the value itself to ``WebLock/signIn(_:replacing:keeping:prompts:)``.
public final class WebPrompts: Sendable {
    /// What the authenticator does.
    public struct Source: Sendable {
        /// The prompt that is up; `nil` for none.
        public var current: @Sendable () -> WebPrompt?
        /// A signal each time that it changes.
        public var changes: @Sendable () -> AsyncStream<Void>
        /// Takes what the browser gave, in JSON, for the prompt of an id; says whether that was up.
        public var answer: @Sendable (SecretBytes, String) -> Bool
        /// Hears whether the browser can use passkeys.
        public var setAvailable: @Sendable (Bool) -> Void

        /// A source of these closures.
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

    /// The session's name; it is not the cookie's value.
    public let id = Token.random(byteCount: 16)
    private let state = Mutex(State())

    /// Prompts of a session that has not begun.
    public init() {}

    /// The generation of the session's lock.
    public var generation: UInt64 { state.withLock { $0.generation } }

    /// Says what the authenticator does; called before the sign-in.
    public func connect(_ source: Source) { state.withLock { $0.source = source } }

    var source: Source? { state.withLock { $0.source } }

    func set(generation: UInt64) { state.withLock { $0.generation = generation } }
}
#endif
