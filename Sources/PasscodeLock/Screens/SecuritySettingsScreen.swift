public import LockScreens
public import PortcullisCore

/// The screen with the settings of the passcode lock (P-37).
public struct SecuritySettingsScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared. If there is an account, its status is requested.
        case appeared
        /// The current settings. The event comes after the screen appeared and after each change.
        case found(PasscodeStatus, BiometricOffer)
        /// The account's report, and the current settings.
        case heard(AccountReport, PasscodeStatus, BiometricOffer)
        /// The person used the screen.
        case input(ScreenInput)
        /// A request failed.
        case failed(message: String)
        /// The account gave no status. Unlike ``failed(message:)``, this event does not end a request that is
        /// under way.
        case notHeard(message: String)
    }

    /// An effect that the screen asks its driver for. Unless stated otherwise, the driver answers with
    /// ``Event/found(_:_:)`` or ``Event/failed(message:)``.
    public enum Effect: Sendable, Hashable {
        /// Ask the account for its status. Answer with ``Event/heard(_:_:_:)`` or
        /// ``Event/notHeard(message:)``.
        case synchronise
        /// Read the current settings.
        case look
        /// Open the screen that sets the first passcode.
        case openCreate
        /// Ask for the passcode, then remove the passcode.
        case openRemove
        /// Open the screen that changes the passcode.
        case openChange
        /// Request a reset mail, then do ``openReset(_:)``.
        case requestReset
        /// Open the reset screen for the code of this request.
        case openReset(AccountCodeRequest)
        /// Record this timeout.
        case setTimeout(LockTimeout)
        /// Ask for the passcode, then switch biometrics on.
        case openEnableBiometrics
        /// Switch biometrics off.
        case disableBiometrics
        /// Close the screen. No event answers this effect.
        case finish
    }

    private let strings: PasscodeStrings
    private let hasAccount: Bool
    private var status: PasscodeStatus?
    private var biometrics: BiometricOffer?
    private var report: AccountReport?
    private var error: String?
    private var isBusy = true

    /// Makes the settings screen in its state before it appears. It has no settings to show yet.
    ///
    /// - Parameters:
    ///   - hasAccount: whether a reset by mail can be offered.
    ///   - strings: the texts.
    public init(hasAccount: Bool = false, strings: PasscodeStrings = .english) {
        self.hasAccount = hasAccount
        self.strings = strings
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that the screen shows now.
    public var content: ScreenContent {
        ScreenContent(
            title: strings.securityTitle,
            symbol: "lock.shield.fill",
            message: message,
            isBusy: isBusy,
            controls: controls
        )
    }

    private var message: ScreenMessage? {
        if let error { return ScreenMessage(.error, error) }
        if isDisabled {
            return ScreenMessage(.notice, strings.disabledByAdministrator)
        }
        return nil
    }

    /// Whether an administrator switched passcodes off, according to this device's record or the account.
    private var isDisabled: Bool {
        if let status, status.isSet { return !status.isEnabled }
        return report?.isEnabled == false
    }

    private var controls: [ScreenControl] {
        let isSet = status?.isSet ?? false
        var controls = [
            ScreenControl(
                .passcode,
                kind: .toggle(isOn: isSet),
                title: strings.passcode,
                // While an administrator has switched passcodes off, the person cannot set a passcode. But a
                // passcode that is set can be removed.
                isEnabled: !isBusy && (isSet || !isDisabled)
            )
        ]
        if isSet, let status {
            controls.append(ScreenControl(.change, title: strings.changePasscode, isEnabled: !isBusy))
            if hasAccount {
                controls.append(ScreenControl(.sendReset, title: strings.resetPasscode, isEnabled: !isBusy))
            }
            controls.append(
                ScreenControl(
                    .timeout,
                    kind: .choice(
                        options: LockTimeout.choices.map(strings.text),
                        selected: LockTimeout.choices.firstIndex(of: status.timeout)
                    ),
                    title: strings.requirePasscode,
                    isEnabled: !isBusy,
                    accessibilityLabel: "\(strings.requirePasscode): \(strings.text(status.timeout))"
                )
            )
            if let biometrics, biometrics.isEnabled || biometrics.canEnable {
                controls.append(
                    ScreenControl(
                        .biometrics,
                        kind: .toggle(isOn: biometrics.isEnabled),
                        title: strings.biometricName(biometrics.kind),
                        symbol: biometrics.kind.symbolName,
                        isEnabled: !isBusy
                    )
                )
            }
        }
        controls.append(ScreenControl(.ok, title: strings.done, role: .primary))
        return controls
    }

    /// Applies an event and returns the effects.
    public mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .appeared:
            return hasAccount ? [.look, .synchronise] : [.look]
        case .heard(let report, let status, let biometrics):
            self.report = report
            // While a request is under way, the status of this event is ignored, unless no status is known
            // yet. The answer to that request brings a newer status.
            if isBusy, self.status != nil { return [] }
            return handle(.found(status, biometrics), at: moment)
        case .found(let status, let biometrics):
            self.status = status
            self.biometrics = biometrics
            isBusy = false
            return []
        case .failed(let message):
            error = message
            isBusy = false
            return []
        case .notHeard(let message):
            error = message
            return []
        case .input(.activate(.ok)):
            return [.finish]
        case .input(let input):
            guard let effect = effect(of: input) else { return [] }
            error = nil
            isBusy = true
            return [effect]
        }
    }

    private func effect(of input: ScreenInput) -> Effect? {
        switch input {
        case .activate(let id):
            guard controls.contains(where: { $0.id == id && $0.isEnabled }) else { return nil }
            return switch id {
            case .passcode: status?.isSet == true ? .openRemove : .openCreate
            case .change: .openChange
            case .sendReset: .requestReset
            case .biometrics: biometrics?.isEnabled == true ? .disableBiometrics : .openEnableBiometrics
            default: nil
            }
        case .choose(.timeout, let index):
            guard !isBusy, status?.isSet == true, LockTimeout.choices.indices.contains(index) else {
                return nil
            }
            return .setTimeout(LockTimeout.choices[index])
        default:
            return nil
        }
    }
}
