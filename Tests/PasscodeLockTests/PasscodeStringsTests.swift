import LockScreens
import PasscodeLock
import PortcullisCore
import Testing

@Suite("Texts")
struct PasscodeStringsTests {
    @Test("P-51: each error of an account has a text of its own, which can be replaced")
    func accountTexts() {
        let codes: [PasscodeAccountError.Code] = [
            .unreachable, .outcomeUnknown, .notSignedIn, .conflict, .throttled, .serverFailure, .refused,
            .unavailable,
        ]
        var strings = PasscodeStrings.english
        func text(_ code: PasscodeAccountError.Code, retryAfter: Duration? = nil) -> String {
            let cause = PasscodeAccountError(code: code, message: "server's words", retryAfter: retryAfter)
            return strings.text(PasscodeError(code: .account, message: cause.message, cause: cause))
        }
        #expect(Set(codes.map { text($0) }).count == codes.count)
        #expect(!codes.map { text($0) }.contains("server's words"))
        #expect(text(.throttled, retryAfter: .seconds(61)) == "Too many requests. Try again in 2 min")
        strings.accountSignedOut = "Abgemeldet"
        #expect(text(.notSignedIn) == "Abgemeldet")
    }

    @Test("1.4: texts come from a value that can be replaced")
    func strings() {
        var german = PasscodeStrings.english
        german.setTitle = "Code festlegen"
        german.tryAgainIn = "In %@ erneut versuchen"
        german.duration = DurationText(minute: "Min.")
        let screen = SetPasscodeScreen(mode: .create, format: .standard, strings: german)
        #expect(screen.content.title == "Code festlegen")
        #expect(german.tryAgain(in: .seconds(61)) == "In 2 Min. erneut versuchen")
    }

    @Test(
        "P-32: the time left is rounded up",
        arguments: [
            (1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (3600, "1 h"), (10_800, "3 h"),
            (5400, "1 h 30 min"),
        ]
    )
    func timeLeft(seconds: Int, text: String) {
        #expect(PasscodeStrings.english.tryAgain(in: .seconds(seconds)) == "Try again in \(text)")
        #expect(PasscodeStrings.english.tryAgain(in: .milliseconds(200)) == "Try again in 1 s")
    }

    @Test(
        "P-32: any fraction of a second is one more, also the smallest there is",
        arguments: [
            (0, "1 s"), (58, "59 s"), (59, "1 min"), (60, "2 min"), (3_599, "1 h"), (3_600, "1 h 1 min"),
        ]
    )
    func fraction(seconds: Int64, text: String) {
        let left = Duration(secondsComponent: seconds, attosecondsComponent: 1)
        #expect(PasscodeStrings.english.tryAgain(in: left) == "Try again in \(text)")
    }

    @Test("1.4, P-32: kinds of biometrics, and a match that failed, are told in the language's words")
    func biometrics() {
        var german = PasscodeStrings.english
        german.biometricName = { $0 == .fingerprint ? "Fingerabdruck" : $0.displayName }
        german.notRecognised = "Nicht erkannt"
        let offer = BiometricOffer(kind: .fingerprint, isEnabled: true, isUsable: true, canEnable: true)
        var stage = Stage(LockScreen(format: .standard, generation: 1, strings: german))
        stage.send(.appeared(retryAfter: .zero, offer))
        #expect(stage.control(.biometrics)?.title == "Fingerabdruck")
        stage.send(
            .prompted(.ended(.failed(message: BiometricOutcome.defaultFailureMessage)), generation: 1)
        )
        #expect(stage.content.message?.text == "Nicht erkannt")
        stage.send(.prompted(.ended(.failed(message: "Der Finger ist nass")), generation: 1))
        #expect(stage.content.message?.text == "Der Finger ist nass", "the platform's own words")
    }

    @Test("1.4: a language with other forms writes its own durations and plurals")
    func forms() {
        var polish = PasscodeStrings.english
        polish.charactersEntered = PluralText { number in
            let isFew = (2...4).contains(number % 10) && !(12...14).contains(number % 100)
            return number == 1 ? "1 znak" : isFew ? "\(number) znaki" : "\(number) znaków"
        }
        polish.duration = DurationText { "\($0.components.seconds) sekund" }
        #expect(
            [1, 2, 5, 12, 22].map(polish.entered) == [
                "1 znak", "2 znaki", "5 znaków", "12 znaków", "22 znaki",
            ]
        )
        #expect(polish.tryAgain(in: .seconds(90)) == "Try again in 90 sekund")
        #expect(polish.text(LockTimeout.after(.seconds(5))) == "5 sekund")
        let english = PasscodeStrings.english
        #expect(
            [0, 1, 2].map(english.entered) == [
                "0 characters entered", "1 character entered", "2 characters entered",
            ]
        )
    }
}
