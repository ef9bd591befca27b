public import LockScreens
public import PortcullisCore

/// The row "App Lock" in the host's settings.
public struct GoalSettingsRow: Sendable, Hashable {
    /// "App Lock".
    public var title: String
    /// "On" or "Off".
    public var value: String

    /// The row for a status; `nil` while it is not known.
    public init(_ status: GoalStatus?, strings: GoalStrings = .english) {
        title = strings.appLock
        value = status?.isEnabled == true ? strings.on : strings.off
    }
}

/// The settings of the goal lock.
public struct GoalSettingsScreen: ContentScreen {
    /// What happens to it.
    public enum Event: Sendable {
        /// It is on the screen.
        case appeared
        /// What the person did.
        case input(ScreenInput)
        /// The picker is closed, with what the person chose; `nil`: nothing.
        case picked(ShieldSelection?)
        /// The lock is so, and can choose from these.
        case found(GoalStatus, ShieldCatalogue?, generation: UInt64)
        /// Switching on ended so.
        case enabled(EnableOutcome, generation: UInt64)
        /// What was asked could not be done.
        case failed(message: String, generation: UInt64)
        /// The lock is so now, as ``GoalLockService/statuses()`` tells.
        case changed(GoalStatus)
    }

    /// What it wants done.
    public enum Effect: Sendable, Hashable {
        /// Answer with ``Event/found(_:_:generation:)``.
        case load(generation: UInt64)
        /// Switch the lock on; answer with ``Event/enabled(_:generation:)``.
        case enable(generation: UInt64)
        /// Switch the lock off; answer with ``Event/found(_:_:generation:)``.
        case disable(generation: UInt64)
        /// Record what was chosen; answer with ``Event/found(_:_:generation:)``.
        case select(ShieldSelection, generation: UInt64)
        /// Let the person choose: with a ``PickerScreen`` of this catalogue, or where there is none with the system's
        /// own picker. Answer with ``Event/picked(_:)``; until then no other picker is opened.
        case openPicker(ShieldSelection, ShieldCatalogue?)
        /// Show the paywall.
        case openPaywall
        /// Close the screen.
        case finish
    }

    private let strings: GoalStrings
    private var status: GoalStatus?
    private var catalogue: ShieldCatalogue?
    private var isBusy = false
    /// Whether the latest request was only to look.
    private var isLoading = false
    private var isPicking = false
    private var error: String?
    private var alert: ScreenAlert?
    /// Of the latest request: the answer to an earlier one is old.
    private var generation: UInt64 = 0

    /// Settings before anything is known.
    public init(strings: GoalStrings = .english) { self.strings = strings }

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
    public var content: ScreenContent {
        ScreenContent(
            title: strings.appLock,
            symbol: "lock.app.dashed",
            message: message.map { ScreenMessage(.error, $0) },
            isBusy: isBusy,
            controls: controls,
            texts: texts,
            alert: alert
        )
    }

    private var controls: [ScreenControl] {
        let isOn = status?.isEnabled ?? false
        var controls = [
            ScreenControl(.enable, kind: .toggle(isOn: isOn), title: strings.enable, isEnabled: !isBusy)
        ]
        if isOn, let status {
            let chosen = CatalogueLabels(catalogue).items(status.selection)
            controls.append(
                ScreenControl(
                    .selectApps,
                    kind: .link(chosen: chosen),
                    title: strings.selectApps,
                    isEnabled: !isBusy
                )
            )
        }
        controls.append(ScreenControl(.ok, title: strings.done, role: .primary))
        return controls
    }

    private var texts: [ScreenText] {
        let note = ScreenText.note(strings.note(dayStart: status?.dayStart ?? .midnight))
        guard let status, !status.isEnabled, status.isEntitled else { return [note] }
        return [note, .items([strings.chooseApps, strings.walk, strings.resetsDaily])]
    }

    private var message: String? {
        if let error { return error }
        return switch status?.reason {
        case .notEntitled: strings.lapsed
        case .notAuthorized(let howToAllow):
            [strings.revoked, howToAllow].compactMap(\.self).joined(separator: " ")
        case .nothingSelected, .reached, nil:
            status?.isProgressUnreadable == true ? strings.unreadableProgress : nil
        case .disabled: nil
        }
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        switch event {
        case .appeared:
            // A picker that was closed without an answer must not keep the next one from opening.
            isPicking = false
            // A request that runs, perhaps behind a passcode screen, is answered with the lock's status.
            return isBusy && !isLoading ? [] : [.load(generation: begin(isLoading: true))]
        case .input(.activate(let id)):
            guard alert == nil else {
                if id == .ok { alert = nil }
                break
            }
            return activate(id)
        case .input:
            break
        case .picked(let selection):
            isPicking = false
            // Also while the screen loads anew, as it may when it comes back into view: the choice must not
            // be lost.
            guard let status, status.isEnabled, let selection, selection != status.selection else { break }
            return [.select(selection, generation: begin())]
        case .found(let status, let catalogue, let generation):
            guard end(generation) else { break }
            self.status = status
            self.catalogue = catalogue
        case .enabled(let outcome, let generation):
            guard end(generation) else { break }
            return take(outcome)
        case .failed(let message, let generation):
            if end(generation) { error = message }
        case .changed(let status):
            self.status = status
            // It can be read after all.
            if isLoading { error = nil }
        }
        return []
    }

    private mutating func activate(_ id: ControlID) -> [Effect] {
        if id == .ok { return [.finish] }
        guard !isBusy else { return [] }
        // What could not be read at first may be readable by now.
        guard let status else { return id == .enable ? [.load(generation: begin(isLoading: true))] : [] }
        switch id {
        case .enable:
            return [status.isEnabled ? .disable(generation: begin()) : .enable(generation: begin())]
        case .selectApps where status.isEnabled && !isPicking:
            isPicking = true
            return [.openPicker(status.selection, catalogue)]
        default:
            return []
        }
    }

    private mutating func take(_ outcome: EnableOutcome) -> [Effect] {
        switch outcome {
        case .enabled(let status):
            self.status = status
            return []
        case .notEntitled:
            return [.openPaywall]
        case .notAuthorized(let howToAllow):
            alert = ScreenAlert(
                title: strings.deniedTitle,
                text: howToAllow ?? strings.deniedText,
                actions: [ScreenControl(.ok, title: strings.ok, role: .primary)]
            )
            return []
        }
    }

    private mutating func begin(isLoading: Bool = false) -> UInt64 {
        generation += 1
        isBusy = true
        self.isLoading = isLoading
        error = nil
        return generation
    }

    /// - Returns: whether it is the answer that is waited for.
    private mutating func end(_ generation: UInt64) -> Bool {
        guard isBusy, generation == self.generation else { return false }
        isBusy = false
        return true
    }
}
