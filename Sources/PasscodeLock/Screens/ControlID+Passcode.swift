public import LockScreens

extension ControlID {
    /// The button that starts the biometric prompt.
    public static let biometrics = ControlID("biometrics")
    /// The button "Forgot Passcode?".
    public static let forgot = ControlID("forgot")
    /// The button "Set up later".
    public static let setUpLater = ControlID("later")
    /// The button with which a person accepts the offer to set a passcode. It opens the set-up.
    public static let setUp = ControlID("setup")
    /// The button that asks for another reset code.
    public static let resend = ControlID("resend")
    /// The button that asks for a reset code by mail.
    public static let sendReset = ControlID("reset")
    /// The button that opens the screen for the recovery passphrase.
    public static let recover = ControlID("recover")
    /// The button that signs out.
    public static let logOut = ControlID("logout")
    /// The button that keeps an easily guessed passcode.
    public static let useAnyway = ControlID("use")
    /// The button that discards the easily guessed passcode, so that the person enters another.
    public static let chooseAnother = ControlID("another")
    /// The switch for the passcode in the settings.
    public static let passcode = ControlID("passcode")
    /// The button that opens the screen that changes the passcode.
    public static let change = ControlID("change")
    /// The setting that chooses the timeout.
    public static let timeout = ControlID("timeout")
}
