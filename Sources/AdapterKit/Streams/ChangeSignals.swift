public import PortcullisCore
internal import Synchronization

/// The streams of ``/PortcullisCore/SecretStore/changes(in:)`` and ``/PortcullisCore/SecretStore/changes(to:)``: a signal
/// without content for each namespace and item.
///
/// Signals that a reader has not taken yet are merged into one.
public final class ChangeSignals: Sendable {
    /// What a reader listens to.
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

    /// Signals without readers.
    public init() {}

    deinit { finish() }

    /// The namespaces that have readers, of all of it or of an item.
    public var observed: Set<SecretNamespace> { state.withLock { Set($0.places.keys.map(\.namespace)) } }

    /// Whether there is a reader of anything.
    public var isHeard: Bool { state.withLock { !$0.places.isEmpty } }

    /// A stream of signals that something in a namespace was changed.
    ///
    /// - Parameters:
    ///   - namespace: whose changes are signalled.
    ///   - whenEnded: is called when the stream was cancelled or dropped, and is no longer counted; not by ``finish()``.
    /// - Returns: the stream; after ``finish()`` one that has ended.
    public func stream(
        in namespace: SecretNamespace,
        whenEnded: (@Sendable () -> Void)? = nil
    ) -> AsyncStream<Void> {
        stream(at: .all(namespace), whenEnded)
    }

    /// A stream of signals that an item was changed.
    ///
    /// - Parameters:
    ///   - name: whose changes are signalled.
    ///   - whenEnded: as in ``stream(in:whenEnded:)``.
    /// - Returns: the stream; after ``finish()`` one that has ended.
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
            // Another stream may have begun meanwhile.
            if state.places[place]?.isHeard == false { state.places[place] = nil }
        }
    }

    /// Signals that these items were changed.
    ///
    /// To be called after the change: a reader that reads at the signal finds it.
    public func send(_ names: Set<SecretName>) {
        send(to: Set(names.map { .all($0.namespace) }).union(names.map { .item($0) }))
    }

    /// Signals that something in these namespaces was changed, which may be any item.
    ///
    /// To be called after the change, as the one for items.
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

    /// Ends all streams, and those that are asked for later.
    public func finish() {
        let heard = state.withLock { state in
            state.isFinished = true
            defer { state.places = [:] }
            return state.places
        }
        for signals in heard.values { signals.finish() }
    }
}
