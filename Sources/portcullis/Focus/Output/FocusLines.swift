internal import AdapterKit
internal import GoalLock
internal import PortcullisCore
internal import Synchronization

/// Writes a run's messages to standard output, each as a line with a JSON object.
final class FocusLines: FocusOutput {
    /// The largest number of messages that wait to be written. If so many wait, further messages are dropped,
    /// except the last status.
    private static let capacity = 1_024

    private struct State: Sendable {
        var waiting: [GoalMessageRecord] = []
        var notifications: [[UInt8]] = []
        var lastStatus: GoalMessageRecord?
        var isWriting = false
    }

    private let clock: any LockClock
    private let gone: @Sendable () -> Void
    private let thread = WorkerThread()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: the clock that measures the time until the day ends.
    ///   - gone: the function that is called when a line cannot be written. No further line is then written.
    init(clock: any LockClock, gone: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.gone = gone
    }

    func show(_ message: GoalMessage) {
        let record = GoalMessageRecord(message, now: clock.now.sinceBoot)
        enqueue { state in
            if state.waiting.count < Self.capacity {
                state.waiting.append(record)
            } else if case .status = message {
                state.lastStatus = record
            }
        }
    }

    func notify(_ line: [UInt8]) { enqueue { $0.notifications.append(line) } }

    /// Does nothing, because a program that reads the lines has a clock of its own.
    func redraw(all: Bool) {}

    func settle() async { await thread.run { () throws(Never) in } }

    private func enqueue(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { thread.enqueue { [self] in drain() } }
    }

    private func drain() {
        while true {
            let (records, notifications) = state.withLock { state in
                let records = state.waiting + [state.lastStatus].compactMap(\.self)
                let notifications = state.notifications
                (state.waiting, state.lastStatus, state.notifications) = ([], nil, [])
                if records.isEmpty, notifications.isEmpty { state.isWriting = false }
                return (records, notifications)
            }
            if records.isEmpty, notifications.isEmpty { return }
            do throws(ToolFailure) {
                for line in notifications { try StandardOutput.write(line: Self.event(line)) }
                for record in records { try StandardOutput.write(json: record) }
            } catch {
                gone()
                return
            }
        }
    }

    /// Adds the member `event` to the notifier's JSON, because each line of this output has that member.
    private static func event(_ line: [UInt8]) -> String {
        let text = String(decoding: line.dropLast(line.last == 0x0A ? 1 : 0), as: UTF8.self)
        return "{\"event\":\"notification\"," + text.dropFirst()
    }
}
