#if HummingbirdLock
internal import LockScreens

/// The origin of code that shows a screen over the content. The code may wait before it shows the screen, and
/// the person may open another screen meanwhile. So the tasks of the code carry this value.
enum SheetSource: Sendable {
    /// The body of a screen that was opened by its name, with the number of the opening.
    case opening(UInt64)
    /// An act of the sheet with this number.
    case sheet(UInt64)

    /// The opening or the sheet that the running code belongs to; `nil` for code that belongs to neither.
    @TaskLocal static var current: SheetSource?
}

/// A screen of any type over the host's content or over the lock screen. It belongs to its session's actor.
final class WebSheet {
    private let read: () -> ScreenContent
    private let hand: (ScreenInput) -> Void
    private let end: () -> Void
    private var waiting: CheckedContinuation<Void, Never>?
    private var isClosed = false

    init<Screen: ContentScreen>(
        _ driver: ScreenDriver<Screen>,
        source: SheetSource? = nil,
        isolation: isolated any Actor = #isolation,
        changed: @escaping () -> Void
    ) {
        driver.changed = changed
        read = { driver.content }
        hand = { input in
            _ = isolation
            SheetSource.$current.withValue(source) {
                driver.handle(Screen.input(input), isolation: isolation)
            }
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
