public import LockScreens

extension ControlID {
    /// Starts the biometric prompt.
    public static let biometrics = ControlID("biometrics")
    /// The button "Forgot Passcode?".
    public static let forgot = ControlID("forgot")
    /// The button "Set up later".
    public static let setUpLater = ControlID("later")
    /// Opens the set-up of a passcode from the offer to set one.
    public static let setUp = ControlID("setup")
    /// Asks for another reset code.
    public static let resend = ControlID("resend")
    /// Asks for a reset code by mail.
    public static let sendReset = ControlID("reset")
    /// Signs out.
    public static let logOut = ControlID("logout")
    /// Keeps an easily guessed passcode.
    public static let useAnyway = ControlID("use")
    /// Discards the easily guessed passcode, so that the person enters another.
    public static let chooseAnother = ControlID("another")
    /// The switch for the passcode in the settings.
    public static let passcode = ControlID("passcode")
    /// Opens the screen that changes the passcode.
    public static let change = ControlID("change")
    /// The choice of the timeout.
    public static let timeout = ControlID("timeout")
}
