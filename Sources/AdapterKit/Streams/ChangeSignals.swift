public import PortcullisCore
internal import Synchronization

/// The streams of ``/PortcullisCore/SecretStore/changes(in:)`` and
/// ``/PortcullisCore/SecretStore/changes(to:)``: signals without content for each namespace and item.
///
/// Signals that a reader has not read yet are merged into one.
public final class ChangeSignals: Sendable {
    /// The namespace or item that a stream belongs to.
    private enum Place: Hashable {
        case all(SecretNamespace)
        case item(SecretName)

        var namespace: SecretNamespace {
            switch self {
            case .all(let namespace): namespace
            case .item(let name): name.namespace
            }
        }
    }

    private struct State {
        var places: [Place: Broadcaster<Void>] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes signals without readers.
    public init() {}

    deinit { finish() }

    /// The namespaces for which a stream is open, including streams of a single item.
    public var observed: Set<SecretNamespace> { state.withLock { Set($0.places.keys.map(\.namespace)) } }

    /// Whether at least one stream is open.
    public var isHeard: Bool { state.withLock { !$0.places.isEmpty } }

    /// Opens a stream with a signal after each change in a namespace.
    ///
    /// - Parameters:
    ///   - namespace: the namespace.
    ///   - whenEnded: is called after the reader has cancelled or dropped the stream and the stream was
    ///     removed. ``finish()`` does not call it.
    /// - Returns: the stream. After ``finish()`` the returned stream has already ended.
    public func stream(
        in namespace: SecretNamespace,
        whenEnded: (@Sendable () -> Void)? = nil
    ) -> AsyncStream<Void> {
        stream(at: .all(namespace), whenEnded)
    }

    /// Opens a stream with a signal after each change of an item.
    ///
    /// - Parameters:
    ///   - name: the item's name.
    ///   - whenEnded: is called after the reader has cancelled or dropped the stream and the stream was
    ///     removed. ``finish()`` does not call it.
    /// - Returns: the stream. After ``finish()`` the returned stream has already ended.
    public func stream(of name: SecretName, whenEnded: (@Sendable () -> Void)? = nil) -> AsyncStream<Void> {
        stream(at: .item(name), whenEnded)
    }

    private func stream(at place: Place, _ whenEnded: (@Sendable () -> Void)?) -> AsyncStream<Void> {
        let stream = state.withLock { state -> AsyncStream<Void>? in
            guard !state.isFinished else { return nil }
            let signals = state.places[place] ?? Broadcaster()
            state.places[place] = signals
            return signals.stream(buffering: .bufferingNewest(1)) { [weak self] in
                self?.forget(place)
                whenEnded?()
            }
        }
        return stream ?? AsyncStream { $0.finish() }
    }

    private func forget(_ place: Place) {
        state.withLock { state in
            // If another stream of this namespace or item is still open, the entry stays.
            if state.places[place]?.isHeard == false { state.places[place] = nil }
        }
    }

    /// Signals a change of these items.
    ///
    /// The caller makes the change before this call. A reader that reads after the signal therefore finds the
    /// change.
    public func send(_ names: Set<SecretName>) {
        send(to: Set(names.map { .all($0.namespace) }).union(names.map { .item($0) }))
    }

    /// Signals a change of unknown items in these namespaces. All readers of the namespaces and of their
    /// items receive the signal.
    ///
    /// The caller makes the change before this call.
    public func send(_ namespaces: Set<SecretNamespace>) {
        send(
            to: state.withLock { state in Set(state.places.keys.filter { namespaces.contains($0.namespace) })
            }
        )
    }

    private func send(to places: Set<Place>) {
        let heard = state.withLock { state in places.compactMap { state.places[$0] } }
        for signals in heard { signals.send(()) }
    }

    /// Ends all streams. Streams that are opened later end at once.
    public func finish() {
        let heard = state.withLock { state in
            state.isFinished = true
            defer { state.places = [:] }
            return state.places
        }
        for signals in heard.values { signals.finish() }
    }
}
