#if HummingbirdLock
internal import LockScreens

/// A screen of any type over the host's content or over the lock screen. It belongs to its session's actor.
final class WebSheet {
    private let read: () -> ScreenContent
    private let hand: (ScreenInput) -> Void
    private let end: () -> Void
    private var waiting: CheckedContinuation<Void, Never>?
    private var isClosed = false

    init<Screen: ContentScreen>(
        _ driver: ScreenDriver<Screen>,
        isolation: isolated any Actor = #isolation,
        changed: @escaping () -> Void
    ) {
        driver.changed = changed
        read = { driver.content }
        hand = { input in
            _ = isolation
            driver.handle(Screen.input(input), isolation: isolation)
        }
        end = { driver.dismiss() }
    }

    var content: ScreenContent { read() }

    func send(_ input: ScreenInput) { hand(input) }

    /// Waits until the sheet has closed.
    func closed(isolation: isolated any Actor = #isolation) async {
        guard !isClosed else { return }
        await withCheckedContinuation { waiting = $0 }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        end()
        waiting?.resume()
    }
}

@available(*, unavailable, message: "a sheet belongs to its session")
extension WebSheet: Sendable {}
#endif
