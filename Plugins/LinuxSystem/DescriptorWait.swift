internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The events on a descriptor that a wait requests or reports (poll(2)).
package struct DescriptorEvents: OptionSet, Sendable {
    package let rawValue: Int16
    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// A read does not block, because there are bytes, a new connection, or the end of the stream.
    package static let readable = Self(rawValue: Int16(POLLIN))
    /// A write does not block.
    package static let writable = Self(rawValue: Int16(POLLOUT))
    /// An event that needs attention. The kernel's table of mounts reports a change in this way.
    package static let exceptional = Self(rawValue: Int16(POLLPRI))
    /// The other end has hung up, or the descriptor cannot be waited on. Every wait reports these events,
    /// even if they were not requested.
    package static let hungUp = Self(rawValue: Int16(POLLHUP | POLLERR | POLLNVAL))
}

/// One wait of a thread on descriptors.
///
/// All Swift code of this package that waits on descriptors uses this type. Another thread can end the wait
/// through a ``Wake`` or a ``Mailbox``. For this, the wait must include the descriptor of the ``Wake`` or
/// ``Mailbox``.
package struct DescriptorWait: Sendable {
    /// The result of a wait.
    package enum Ending: Sendable {
        /// A descriptor is ready. The subscript of ``DescriptorWait`` returns its events.
        case ready
        case timedOut
        /// The wait ended early, and no descriptor is ready. A signal interrupted the wait, or the system had
        /// no memory for it.
        case interrupted
    }

    private var entries: [pollfd] = []

    /// Makes a wait without descriptors.
    package init() {}

    /// Adds a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor. `nil` or a negative number gets a place, but the wait ignores it.
    ///   - events: the events to wait for; if empty, only ``DescriptorEvents/hungUp`` ends the wait.
    /// - Returns: the descriptor's place, for the subscript.
    @discardableResult
    package mutating func add(_ descriptor: Int32?, _ events: DescriptorEvents = .readable) -> Int {
        entries.append(pollfd(fd: descriptor ?? -1, events: events.rawValue, revents: 0))
        return entries.count - 1
    }

    /// The events that the wait found on the descriptor at a place; empty before a wait.
    package subscript(place: Int) -> DescriptorEvents {
        DescriptorEvents(rawValue: entries[place].revents)
    }

    /// Waits until one of the descriptors is ready. The call blocks the thread.
    ///
    /// - Parameter limit: the longest time to wait, rounded up to milliseconds; `nil` for no limit.
    package mutating func wait(atMost limit: Duration? = nil) -> Ending {
        let found = unsafe poll(&entries, nfds_t(entries.count), Self.milliseconds(limit))
        if found > 0 { return .ready }
        // The entries may still hold the events of an earlier wait, so these events are cleared.
        for place in entries.indices { entries[place].revents = 0 }
        if found == 0 { return .timedOut }
        // The pause is for errors such as a lack of memory. Without it, a caller that repeats the wait at
        // once would use the whole processor.
        if errno != EINTR { Threads.sleep(microseconds: 10_000) }
        return .interrupted
    }

    /// Waits for one descriptor. A signal does not end the wait.
    ///
    /// - Returns: whether the descriptor is ready; `false` after the limit.
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

    /// Converts a limit to milliseconds, rounded up; -1 for no limit.
    static func milliseconds(_ limit: Duration?) -> Int32 {
        guard let limit else { return -1 }
        guard limit > .zero else { return 0 }
        let (seconds, attoseconds) = limit.components
        guard seconds < Int64(Int32.max / 1_000) else { return .max }
        return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
