public import LockScreens

extension ControlID {
    /// Starts the biometric prompt.
    public static let biometrics = ControlID("biometrics")
    /// "Forgot Passcode?".
    public static let forgot = ControlID("forgot")
    /// "Set up later".
    public static let setUpLater = ControlID("later")
    /// Opens the set-up on the offer of it.
    public static let setUp = ControlID("setup")
    /// Asks for another reset code.
    public static let resend = ControlID("resend")
    /// Asks for a reset by mail.
    public static let sendReset = ControlID("reset")
    /// Signs out.
    public static let logOut = ControlID("logout")
    /// Keeps an easily guessed passcode.
    public static let useAnyway = ControlID("use")
    /// Takes another passcode than the easily guessed one.
    public static let chooseAnother = ControlID("another")
    /// The switch for the passcode in the settings.
    public static let passcode = ControlID("passcode")
    /// Opens the change of the passcode.
    public static let change = ControlID("change")
    /// The choice of the timeout.
    public static let timeout = ControlID("timeout")
}
