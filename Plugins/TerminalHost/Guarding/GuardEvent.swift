internal import PortcullisCore

/// What happens to a guarded program and its screens, in one order.
enum GuardEvent: Sendable {
    /// Typed on a screen of ours: bytes from the terminal.
    case typed(SecretBytes)
    /// A line for a screen of ours, without its end.
    case line(SecretBytes)
    /// The lock key was pressed; the program gets no more input.
    case lockKey
    /// The terminal's window gained or lost the focus.
    case focus(Bool)
    /// The person did something in the program.
    case activity
    /// Nothing more will be typed.
    case inputEnded
    /// A signal came.
    case signal(Int32)
    /// The host wants the program covered.
    case toLock
    /// What the program writes cannot be written any more, for this reason (`errno`).
    case outputFailed(Int32)
    /// The program ended, with this exit status.
    case programEnded(Int32)
    /// The lock changed.
    case lockChanged
    /// The lock screen changed, or what it shows.
    case screenChanged
    /// The store was looked at for a passcode that was not known of, and whether one is set; the lock key may have asked.
    case lookedForPasscode(isSet: Bool, byKey: Bool)
    /// The machine slept, or the process was stopped, for so long.
    case wasAway(Duration)
    /// The program's output is kept back until it is clear whether an absence locks.
    case withheld
    /// The terminal's window has been without the focus for the timeout.
    case awayTooLong
    /// Nothing followed the start of a sequence that was typed.
    case quiet(UInt64)
    /// Time for the next picture of a shake.
    case shake(UInt64, step: Int)
    /// What became of the offer of a passcode, for the screen of a number.
    case result(UInt64, SetUpResult)

    /// Whether it can put on the terminal what the program wrote, or end the run and with it show that.
    var mayShow: Bool {
        switch self {
        case .withheld, .programEnded, .signal, .lockChanged, .screenChanged: true
        default: false
        }
    }
}

/// What became of the offer of a passcode.
enum SetUpResult: Sendable {
    /// A passcode was set, or the person wants none now.
    case setUpFinished
    /// What was to be sealed is not, and the program must not run.
    case notSealed(message: String)
}
