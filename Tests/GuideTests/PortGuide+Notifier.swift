import AdapterKit
import Foundation
import PortcullisCore
import PortcullisTesting
import Synchronization
import SystemClock
import Testing

final class PagerNotifier: Notifier {
    private static let capacity = 64

    private let waiting = Mutex(0)
    private let thread = WorkerThread()
    private let isAllowed: @Sendable () -> Bool
    private let send: @Sendable (LockNotification) -> Void

    /// - Parameters:
    ///   - isAllowed: whether the person wants notifications; asked each time.
    ///   - send: hands a notification to the platform. It may block.
    init(
        isAllowed: @escaping @Sendable () -> Bool,
        send: @escaping @Sendable (LockNotification) -> Void
    ) {
        (self.isAllowed, self.send) = (isAllowed, send)
    }

    func requestAuthorization() async -> Bool { isAllowed() }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        guard isAllowed() else {
            throw NotifierError(code: .notAuthorized, message: "notifications are not allowed")
        }
        let hasRoom = waiting.withLock { waiting in
            guard waiting < Self.capacity else { return false }
            waiting += 1
            return true
        }
        guard hasRoom else { throw NotifierError(code: .queueFull, message: "the pager takes no more") }
        // On a thread of its own, one after the other, so that no caller waits for the platform.
        thread.enqueue { [self] in
            send(notification)
            waiting.withLock { $0 -= 1 }
        }
    }

    /// What was handed over counts as delivered, and a pager cannot take it back.
    func withdraw(_ ids: Set<String>) async {}
}

extension NotifierErrorCode {
    static let queueFull = Self("pagerNotifier.queueFull")
}

@Suite("Guides: a notifier", .timeLimit(.minutes(5)))
struct NotifierPortGuide {
    @Test("X-3: keeps the contract", arguments: NotifierContract.allCases)
    func contract(_ clause: NotifierContract) async throws {
        let subject = NotifierSubject { clock in
            let pager = MyPager()
            let notifier = PagerNotifier(isAllowed: { pager.isAllowed }, send: { pager.take($0) })
            return .init(
                notifier: DeferredNotifier(
                    notifier,
                    clock: clock,
                    executor: clock.executor,
                    failed: { notification, error in pager.lost(notification, error) }
                ),
                delivered: { pager.taken },
                setStuck: { pager.setStuck($0) },
                forbid: { pager.forbid() }
            )
        }
        try await clause.check(subject)
    }

    @Test("X-3: keeps it in real time", arguments: NotifierContract.allCases)
    func running(_ clause: NotifierContract) async throws {
        let subject = NotifierSubject(running: SystemClock()) {
            let pager = MyPager()
            let notifier = PagerNotifier(isAllowed: { pager.isAllowed }, send: { pager.take($0) })
            return .init(notifier: notifier, delivered: { pager.taken })
        }
        try await clause.check(subject)
    }

    @Test("X-3: a report without a test framework")
    func report() async throws {
        let subject = NotifierSubject { _ in
            let pager = MyPager()
            let notifier = PagerNotifier(isAllowed: { pager.isAllowed }, send: { pager.take($0) })
            return .init(notifier: notifier, delivered: { pager.taken })
        }
        let report = await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept)
    }
}

/// A pager in memory, that can be held up.
private final class MyPager: Sendable {
    private struct State {
        var isAllowed = true
        var isStuck = false
        var taken: [LockNotification] = []
    }

    private let goesOn = NSCondition()
    private let state = Mutex(State())

    var isAllowed: Bool { state.withLock { $0.isAllowed } }
    var taken: [LockNotification] { state.withLock { $0.taken } }

    func forbid() { state.withLock { $0.isAllowed = false } }
    func lost(_ notification: LockNotification, _ error: NotifierError) { Issue.record(error) }

    func take(_ notification: LockNotification) {
        goesOn.withLock { while state.withLock({ $0.isStuck }) { goesOn.wait() } }
        state.withLock { $0.taken.append(notification) }
    }

    func setStuck(_ isStuck: Bool) {
        goesOn.withLock {
            state.withLock { $0.isStuck = isStuck }
            goesOn.broadcast()
        }
    }
}
