#if HummingbirdLock
internal import AdapterKit
public import LockScreens

/// Screens over the host's content.
extension WebSession {
    /// Shows a screen over the host's content, and returns when the screen has closed.
    ///
    /// The caller is a function of ``WebLockConfiguration/screens``, or an act of a shown screen. The caller
    /// may have waited before the call. If the person has opened another screen by its name meanwhile, the
    /// call of a function shows nothing and returns at once. If the screen of an act has closed meanwhile,
    /// the call of the act does the same.
    ///
    /// - Parameter make: makes the driver of the screen. The driver calls `close`, on any thread, to close
    ///   the screen. The screen closes soon after the call.
    public func show<Screen: ContentScreen>(
        _ make: (_ session: isolated WebSession, _ close: @escaping () -> Void) -> ScreenDriver<Screen>
    ) async {
        guard !gate.isOver, mayShow else { return }
        let sheet = add(make)
        draw()
        await sheet.closed()
    }

    /// Whether the code that runs may show a screen.
    private var mayShow: Bool {
        switch SheetSource.current {
        case nil: true
        case .opening(let number)?: number == lastOpening
        case .sheet(let number)?: sheets.contains { $0.number == number }
        }
    }

    private func add<Screen: ContentScreen>(
        _ make: (_ session: isolated WebSession, _ close: @escaping () -> Void) -> ScreenDriver<Screen>
    ) -> WebSheet {
        lastSheet += 1
        let (number, source) = (lastSheet, SheetSource.sheet(lastSheet))
        let driver = SheetSource.$current.withValue(source) { make(self, Self.closing(number, of: self)) }
        let sheet = WebSheet(driver, source: source) { [weak self] in
            self?.assumeIsolated { $0.draw() }
        }
        sheets.append((number, sheet))
        return sheet
    }

    /// Returns the closure that closes a sheet. A driver may call the closure outside of the session's actor:
    /// a driver's asynchronous closure with a capture list does not run on that actor. So the returned
    /// closure starts a task, which closes the sheet on the actor.
    private nonisolated static func closing(_ number: UInt64, of session: WebSession) -> () -> Void {
        { [weak session] in
            guard let session else { return }
            Task { await session.closeSheet(number) }
        }
    }

    private func closeSheet(_ number: UInt64) {
        guard let index = sheets.firstIndex(where: { $0.number == number }) else { return }
        sheets.remove(at: index).sheet.close()
        draw()
    }

    /// Opens a screen by its name, and closes each other screen. If the screen is open or being opened
    /// already, the call opens nothing. The call returns when a screen is shown, when the body has ended
    /// without a screen, or when the session locks or ends.
    func open(_ name: String, _ body: @escaping WebLockConfiguration.Screen) async {
        guard !gate.isOver else { return }
        let signals = gate.changes.stream(buffering: .bufferingNewest(1))
        if opened != name || opening == nil { begin(name, body) }
        if !sheets.isEmpty { return }
        for await _ in signals where !sheets.isEmpty || opening == nil || !gate.isOpen { return }
    }

    private func begin(_ name: String, _ body: @escaping WebLockConfiguration.Screen) {
        while let (_, sheet) = sheets.popLast() { sheet.close() }
        opened = name
        lastOpening += 1
        let number = lastOpening
        // The body of the previous opening is not cancelled. A read of the store that is cancelled would lock
        // the session, as every failed read does.
        opening = Task {
            await SheetSource.$current.withValue(.opening(number)) { await body(self) }
            ended(number)
        }
    }

    private func ended(_ number: UInt64) {
        if number == lastOpening { opening = nil }
        draw()
        gate.changes.send(())
    }
}
#endif
