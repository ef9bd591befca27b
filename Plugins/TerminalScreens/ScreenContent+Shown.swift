internal import LockScreens

extension ScreenContent {
    /// The line beneath the entry: what went wrong, or else what a reader asks for; both while a delay is served, in which
    /// the reader may be the only way.
    var shownMessage: ScreenMessage? {
        guard let hint else { return message }
        guard var message else { return ScreenMessage(.notice, hint.text) }
        if message.kind == .countDown { message.text += ". " + hint.text }
        return message
    }
}
