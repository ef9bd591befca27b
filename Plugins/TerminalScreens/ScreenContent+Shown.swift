internal import LockScreens

extension ScreenContent {
    /// The line beneath the entry: the message, or else the request of a fingerprint reader or similar
    /// device. During a count-down the line contains both, because the device may then be the only way to
    /// unlock.
    var shownMessage: ScreenMessage? {
        guard let hint else { return message }
        guard var message else { return ScreenMessage(.notice, hint.text) }
        if message.kind == .countDown { message.text += ". " + hint.text }
        return message
    }
}
