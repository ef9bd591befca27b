internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What is waited for on a descriptor, or was found there (poll(2)).
package struct DescriptorEvents: OptionSet, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// A read does not wait: there are bytes, a connection, or the end.
    package static let readable = Self(rawValue: Int16(POLLIN))
    /// A write does not wait.
    package static let writable = Self(rawValue: Int16(POLLOUT))
    /// The other end has hung up, or the descriptor cannot be waited on. Found without having been asked for.
    package static let hungUp = Self(rawValue: Int16(POLLHUP | POLLERR | POLLNVAL))
}

/// One wait of a thread on descriptors.
///
/// Every thread of this package that waits on descriptors does it here. Another thread ends the wait through a ``Wake`` or
/// a ``Mailbox``, whose descriptor is one of those that are waited on.
package struct DescriptorWait: Sendable {
    /// How a wait ended.
    package enum Ending: Sendable {
        /// Something is ready; what, the ``DescriptorWait`` says.
        case ready
        case timedOut
        /// Nothing is ready, and time may be left: a signal interrupted the wait, or the system had no memory for it.
        case interrupted
    }

    private var entries: [pollfd] = []

    /// A wait on nothing yet.
    package init() {}

    /// Adds a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: `nil`, or a negative number: it is left out of this wait, and keeps its place.
    ///   - events: what to wait for; empty: that the other end hangs up.
    /// - Returns: its place.
    @discardableResult
    package mutating func add(_ descriptor: Int32?, _ events: DescriptorEvents = .readable) -> Int {
        entries.append(pollfd(fd: descriptor ?? -1, events: events.rawValue, revents: 0))
        return entries.count - 1
    }

    /// What was found at a place; empty before a wait.
    package subscript(place: Int) -> DescriptorEvents {
        DescriptorEvents(rawValue: entries[place].revents)
    }

    /// Waits until one of the descriptors is ready. Blocks the thread.
    ///
    /// - Parameter limit: how long, in steps of a millisecond that are begun; `nil`: without end.
    package mutating func wait(atMost limit: Duration? = nil) -> Ending {
        let found = unsafe poll(&entries, nfds_t(entries.count), Self.milliseconds(limit))
        if found > 0 { return .ready }
        // What stood there is from a wait before.
        for place in entries.indices { entries[place].revents = 0 }
        if found == 0 { return .timedOut }
        // Else a caller that waits again at once would only take processor time.
        if errno != EINTR { Threads.sleep(microseconds: 10_000) }
        return .interrupted
    }

    /// Waits for one descriptor; a signal does not end the wait, and lengthens it by no more than the limit.
    ///
    /// - Returns: whether it is ready.
    package static func isReady(
        _ descriptor: Int32,
        for events: DescriptorEvents = .readable,
        atMost limit: Duration? = nil
    ) -> Bool {
        let due = limit.map { ContinuousClock.now + $0 }
        var wait = DescriptorWait()
        wait.add(descriptor, events)
        while true {
            switch wait.wait(atMost: due.map { ContinuousClock.now.duration(to: $0) }) {
            case .ready: return true
            case .timedOut: return false
            case .interrupted: continue
            }
        }
    }

    /// A wait in the system's unit, rounded up; -1 without end.
    static func milliseconds(_ limit: Duration?) -> Int32 {
        guard let limit else { return -1 }
        guard limit > .zero else { return 0 }
        let (seconds, attoseconds) = limit.components
        guard seconds < Int64(Int32.max / 1_000) else { return .max }
        return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
