internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

/// Any screen of the passcode lock, over the app's own pages.
@MainActor
final class Sheet {
    private let read: @MainActor () -> ScreenContent
    private let hand: @MainActor (ScreenInput) -> Void
    private let dismiss: @MainActor () -> Void
    private var waiting: CheckedContinuation<Void, Never>?
    private var isClosed = false

    init<Screen: ContentScreen>(_ presenter: ScreenPresenter<Screen>) {
        read = { presenter.content }
        hand = { presenter.send($0) }
        dismiss = { presenter.dismiss() }
    }

    var content: ScreenContent { read() }

    func send(_ input: ScreenInput) { hand(input) }

    /// Returns when the sheet has closed.
    func closed() async {
        guard !isClosed else { return }
        await withCheckedContinuation { waiting = $0 }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        dismiss()
        waiting?.resume()
    }
}
