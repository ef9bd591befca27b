internal import TerminalHost

extension GuardTexts {
    /// The texts of `guard` in this tool.
    static var ofTool: GuardTexts {
        var texts = GuardTexts(name: "portcullis guard")
        texts.windowTitle = "Portcullis"
        texts.loggingOutSealed = "The sealed store then opens with its recovery passphrase only."
        texts.sealKeepsShut = "This passcode does not open the sealed store."
        texts.sealNotOpened = { "The sealed store was not opened: \($0)." }
        return texts
    }
}

extension GuardEnding {
    /// The last message of `guard`, which says why the program was ended or not started; `nil` if no message
    /// is needed.
    var text: String? {
        let outcome = hasStarted ? ", and the program was ended" : ", and the program was not started"
        return switch reason {
        case .passcodeLost:
            "logged out: the passcode was removed from elsewhere while this was locked" + outcome
        case .loggedOutWithPasscodeKept:
            "logged out, but the passcode could not be removed and is still set" + outcome
        case .loggedOut: "logged out: the passcode was removed" + outcome
        case .unanswered: "locked, and nothing is left to answer with: the program was ended"
        case nil: nil
        }
    }
}
