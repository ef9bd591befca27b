import LockScreens
import PasscodeLock
import PortcullisCore
import WebScreens

/// Languages that the screens are drawn in: one with long words, one that is written from right to left.
enum Language: String, CaseIterable, Sendable {
    case german, arabic

    var page: WebStrings {
        switch self {
        case .german:
            WebStrings(
                language: "de",
                entry: "Zugangscode",
                pad: "Ziffernblock",
                previousCard: "Zurück",
                nextCard: "Weiter",
                search: "Suchen",
                busy: "Einen Augenblick"
            )
        case .arabic:
            WebStrings(
                language: "ar",
                direction: .rightToLeft,
                entry: "رمز الدخول",
                pad: "لوحة الأرقام",
                previousCard: "السابق",
                nextCard: "التالي",
                search: "بحث",
                busy: "لحظة من فضلك"
            )
        }
    }

    var passcode: PasscodeStrings {
        var strings = PasscodeStrings.english
        switch self {
        case .german:
            strings.enterPasscode = "Zugangscode eingeben"
            strings.incorrect = "Der Zugangscode ist falsch"
            strings.tryAgainIn = "Erneuter Versuch in %@ möglich"
            strings.forgot = "Zugangscode vergessen?"
            strings.forgotAccount =
                "Wir können einen Rücksetzcode an Ihre E-Mail-Adresse senden, oder Sie melden sich ab und neu an."
            strings.sendReset = "E-Mail zum Zurücksetzen anfordern"
            strings.logOut = "Von diesem Gerät abmelden"
            strings.cancel = "Abbrechen"
            strings.changeTitle = "Sicherheitszugangscode ändern"
            strings.enterCurrent = "Bisherigen Zugangscode eingeben"
            strings.securityTitle = "Sicherheitseinstellungen"
            strings.passcode = "Zugangscode verwenden"
            strings.changePasscode = "Sicherheitszugangscode ändern"
            strings.resetPasscode = "Zugangscode zurücksetzen"
            strings.requirePasscode = "Zugangscode verlangen nach"
            strings.immediately = "Sofort nach dem Verlassen"
            strings.never = "Niemals"
            strings.done = "Fertig"
            strings.delete = "Löschen"
            strings.digitsEntered = "%1 von %2 Ziffern eingegeben"
            strings.biometricName = { _ in "Fingerabdruckerkennung" }
        case .arabic:
            strings.enterPasscode = "أدخل رمز الدخول"
            strings.incorrect = "رمز الدخول غير صحيح"
            strings.tryAgainIn = "حاول مرة أخرى بعد %@"
            strings.forgot = "هل نسيت رمز الدخول؟"
            strings.forgotAccount =
                "يمكننا إرسال رمز إعادة التعيين إلى بريدك الإلكتروني، أو يمكنك تسجيل الخروج ثم الدخول مجددًا."
            strings.sendReset = "إرسال بريد إعادة التعيين"
            strings.logOut = "تسجيل الخروج"
            strings.cancel = "إلغاء"
            strings.changeTitle = "تغيير رمز الدخول"
            strings.enterCurrent = "أدخل رمز الدخول الحالي"
            strings.securityTitle = "الأمان"
            strings.passcode = "رمز الدخول"
            strings.changePasscode = "تغيير رمز الدخول"
            strings.resetPasscode = "إعادة تعيين رمز الدخول"
            strings.requirePasscode = "طلب رمز الدخول"
            strings.immediately = "فورًا"
            strings.never = "أبدًا"
            strings.done = "تم"
            strings.delete = "حذف"
            strings.digitsEntered = "تم إدخال %1 من %2 أرقام"
            strings.biometricName = { _ in "بصمة الإصبع" }
        }
        return strings
    }

    /// The screens with most text: each by its name.
    var contents: [(name: String, content: ScreenContent)] {
        let strings = passcode
        var screen = LockScreen(format: .standard, hasAccount: true, strings: strings)
        _ = screen.handle(.appeared(retryAfter: .seconds(3000), Contents.offer), at: Contents.moment)
        let delayed = screen.content
        _ = screen.handle(.input(.activate(.forgot)), at: Contents.moment)
        var wrong = LockScreen(format: .standard, hasAccount: true, strings: strings)
        _ = wrong.handle(.appeared(retryAfter: .zero, nil), at: Contents.moment)
        for digit in 1...6 { _ = wrong.handle(.input(.digit(digit)), at: Contents.moment) }
        _ = wrong.handle(
            .answered(.wrong(failures: 1, retryAfter: .zero), generation: 0),
            at: Contents.moment
        )
        for digit in 1...3 { _ = wrong.handle(.input(.digit(digit)), at: Contents.moment) }
        return [
            ("lock", wrong.content), ("lock-delay", delayed), ("forgot", screen.content),
            ("security", Contents.security(strings)),
            ("set", SetPasscodeScreen(mode: .change, format: .standard, strings: strings).content),
        ]
    }
}
