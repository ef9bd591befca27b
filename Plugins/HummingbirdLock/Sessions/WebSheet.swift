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
    private let driver: any ContentDriver
    private let source: SheetSource?
    private var waiting: CheckedContinuation<Void, Never>?
    private var isClosed = false

    init(_ driver: any ContentDriver, source: SheetSource? = nil, changed: @escaping () -> Void) {
        driver.changed = changed
        self.driver = driver
        self.source = source
    }

    var content: ScreenContent { driver.content }

    func send(_ input: ScreenInput, isolation: isolated any Actor = #isolation) {
        SheetSource.$current.withValue(source) { driver.send(input, isolation: isolation) }
    }

    /// Waits until the sheet has closed.
    func closed(isolation: isolated any Actor = #isolation) async {
        guard !isClosed else { return }
        await withCheckedContinuation { waiting = $0 }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        driver.dismiss()
        waiting?.resume()
    }
}

@available(*, unavailable, message: "a sheet belongs to its session")
extension WebSheet: Sendable {}
#endif
