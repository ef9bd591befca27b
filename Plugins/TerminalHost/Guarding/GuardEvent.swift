internal import PortcullisCore

/// An event of a guarded program or its screens. All events are handled one after the other.
enum GuardEvent: Sendable {
    /// The store was read at the beginning. Next the run starts the program or shows a screen.
    case begun
    /// The terminal sent bytes for a screen of the run.
    case typed(SecretBytes)
    /// A line was typed for a screen of the run. The bytes do not include the line end.
    case line(SecretBytes)
    /// Ctrl-C was typed in a line for a screen.
    case interrupted
    /// The lock key was pressed. The program gets no input until the run sends input to it again.
    case lockKey
    /// The terminal's window gained or lost the focus.
    case focus(Bool)
    /// The person typed or clicked in the program.
    case activity
    /// The input has ended.
    case inputEnded
    /// This process received the signal with this number.
    case signal(Int32)
    /// The terminal has another size. Several signals in a row cause one such event.
    case resized
    /// The host wants the run to lock.
    case toLock
    /// The program's output cannot be written any more. The number is the `errno`.
    case outputFailed(Int32)
    /// The program ended with this exit status.
    case programEnded(Int32)
    /// The lock changed.
    case lockChanged
    /// A screen of the run or its content changed.
    case screenChanged
    /// The recorded timeout changed.
    case timeoutChanged
    /// The store was read again, because the session knew of no passcode. `byKey`: whether the lock key
    /// caused the read.
    case lookedForPasscode(isSet: Bool, byKey: Bool)
    /// The machine slept or the process was stopped for this long.
    case wasAway(Duration)
    /// The record was read again after an absence of this length. The absence was shorter than the known
    /// timeout, but another process may have recorded a shorter timeout.
    case recordRead(after: Duration)
    /// The program's output is withheld after an absence, until the run has decided whether to lock.
    case withheld
    /// The timer has fired: the present absence has reached the timeout, or the idle time has passed.
    case awayTooLong
    /// No byte followed the start of an escape sequence within the time limit. The number is the count of
    /// inputs when the wait began. If more input has come since then, the event is ignored.
    case quiet(UInt64)
    /// The next frame of a shaking screen is due. The first value is the screen's number.
    case shake(UInt64, step: Int)
    /// The pause before the next look at the process's place at the terminal is over.
    case placeDue
    /// The offer to set a passcode has ended. The number is that of the offer's screen.
    case result(UInt64, SetUpResult)

    /// Whether handling the event can show the program's output, directly or by ending the run.
    var mayShow: Bool {
        switch self {
        case .withheld, .programEnded, .signal, .resized, .lockChanged, .screenChanged, .lookedForPasscode,
            .result, .inputEnded, .outputFailed:
            true
        default: false
        }
    }
}

/// The result of the offer to set a passcode.
enum SetUpResult: Sendable {
    /// The person has set a passcode, or has declined the offer.
    case setUpFinished
    /// Sealing failed, so the program must not run.
    case notSealed(message: String)
}
