public import LockScreens
public import PortcullisCore

/// The row "App Lock" in the host's settings.
public struct GoalSettingsRow: Sendable, Hashable {
    /// The title, "App Lock".
    public var title: String
    /// The value, "On" or "Off".
    public var value: String

    /// Makes the row of a status; `nil`: the status is unknown.
    public init(_ status: GoalStatus?, strings: GoalStrings = .english) {
        title = strings.appLock
        value = status?.isEnabled == true ? strings.on : strings.off
    }
}

/// The screen with the settings of the goal lock.
public struct GoalSettingsScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared.
        case appeared
        /// The person used the screen.
        case input(ScreenInput)
        /// The picker closed with this selection; `nil`: the person chose nothing.
        case picked(ShieldSelection?)
        /// A request ended with this status of the lock and this catalogue of apps.
        case found(GoalStatus, ShieldCatalogue?, generation: UInt64)
        /// The request to switch the lock on ended with this outcome.
        case enabled(EnableOutcome, generation: UInt64)
        /// A request failed. `isRepeated` is `true` if the lock's state is stored as requested, and a
        /// launched lock repeats the rest by itself.
        ///
        /// The next request of the person removes the message. Before that:
        /// - If `isRepeated` is `true`, the screen loads anew at each new status. A load that succeeds
        ///   removes the message.
        /// - If `isRepeated` is `false` and the request was ``Effect/load(generation:)``, the next status
        ///   removes the message.
        case failed(message: String, isRepeated: Bool = false, generation: UInt64)
        /// The lock's new status, from ``GoalLockService/statuses()``.
        case changed(GoalStatus)
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable, Hashable {
        /// Bring the lock up to date with ``GoalLockService/refresh()``. Answer with the status, in
        /// ``Event/found(_:_:generation:)``.
        case load(generation: UInt64)
        /// Switch the lock on. Answer with ``Event/enabled(_:generation:)``.
        case enable(generation: UInt64)
        /// Switch the lock off. Answer with ``Event/found(_:_:generation:)``.
        case disable(generation: UInt64)
        /// Set this selection. Answer with ``Event/found(_:_:generation:)``.
        case select(ShieldSelection, generation: UInt64)
        /// Let the person choose apps, with a ``PickerScreen`` if there is a catalogue, otherwise with the
        /// system's picker. Answer with ``Event/picked(_:)``. The screen opens no other picker until it gets
        /// this answer or appears again.
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
    /// Whether the latest request is ``Effect/load(generation:)``.
    private var isLoading = false
    /// Whether a new status came since the latest request began.
    private var hasNews = false
    private var isPicking = false
    /// The error of the latest request that has ended, and whether a launched lock repeats the failed work.
    private var error: (message: String, isRepeated: Bool)?
    private var alert: ScreenAlert?
    /// The number of the latest request. Answers to earlier requests are ignored.
    private var generation: UInt64 = 0

    /// Makes the settings screen in its state before it appears. The screen does not know the lock's status
    /// yet.
    public init(strings: GoalStrings = .english) { self.strings = strings }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The present content of the screen.
    public var content: ScreenContent {
        ScreenContent(
            title: strings.appLock,
            symbol: "lock.app.dashed",
            message: message.map { ScreenMessage(.error, $0) },
            isBusy: isHeld,
            controls: controls,
            texts: texts,
            alert: alert
        )
    }

    /// Whether the person has to wait for the answer to a request.
    ///
    /// A request keeps the error only if it is a load by which the screen checks whether failed work has
    /// succeeded. Such loads may follow one after the other while new statuses come. So the person can use
    /// the screen during such a load.
    private var isHeld: Bool { isBusy && error == nil }

    private var controls: [ScreenControl] {
        let isOn = status?.isEnabled ?? false
        var controls = [
            ScreenControl(.enable, kind: .toggle(isOn: isOn), title: strings.enable, isEnabled: !isHeld)
        ]
        if isOn, let status {
            let chosen = CatalogueLabels(catalogue).items(status.selection)
            controls.append(
                ScreenControl(
                    .selectApps,
                    kind: .link(chosen: chosen),
                    title: strings.selectApps,
                    isEnabled: !isHeld
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
        if let error { return error.message }
        return switch status?.reason {
        case .notEntitled: strings.lapsed
        case .notAuthorized(let howToAllow):
            [strings.revoked, howToAllow].compactMap(\.self).joined(separator: " ")
        case .nothingSelected, .reached, nil:
            status?.isProgressUnreadable == true ? strings.unreadableProgress : nil
        case .disabled: nil
        }
    }

    /// Handles an event and returns the effects.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        switch event {
        case .appeared:
            // A picker that was closed without an answer must not prevent the next picker from opening.
            isPicking = false
            // An earlier request may still be under way, for example while the person was asked for a
            // passcode. A new request would make the screen ignore the answer to the earlier request.
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
            // The screen reappears when the picker closes, and may already be loading the status. Other input
            // is ignored while the person has to wait. The selection is not ignored, because it would be lost.
            guard let status, status.isEnabled, let selection, selection != status.selection else { break }
            return [.select(selection, generation: begin())]
        case .found(let status, let catalogue, let generation):
            guard end(generation) else { break }
            error = nil
            self.status = status
            self.catalogue = catalogue
        case .enabled(let outcome, let generation):
            guard end(generation) else { break }
            return take(outcome)
        case .failed(let message, let isRepeated, let generation):
            guard end(generation) else { break }
            error = (message, isRepeated)
            // The lock may already have repeated the work. The new status then came before this answer.
            if isRepeated, hasNews { return reload() }
        case .changed(let status):
            self.status = status
            hasNews = true
            // While a request is under way, its answer will show whether the error is over.
            if isBusy { break }
            if error?.isRepeated == true { return reload() }
            // A new status shows that the lock can be read, so the error of an earlier read is removed.
            if isLoading { error = nil }
        }
        return []
    }

    private mutating func activate(_ id: ControlID) -> [Effect] {
        if id == .ok { return [.finish] }
        guard !isHeld else { return [] }
        // If the status could not be read, pressing the switch reads it again.
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

    /// Loads anew, to check whether the failed work has succeeded. The message stays during the load.
    private mutating func reload() -> [Effect] {
        [.load(generation: begin(isLoading: true, keepsError: true))]
    }

    private mutating func begin(isLoading: Bool = false, keepsError: Bool = false) -> UInt64 {
        generation += 1
        isBusy = true
        self.isLoading = isLoading
        hasNews = false
        if !keepsError { error = nil }
        return generation
    }

    /// Ends the request of this generation if it is the latest request and is still under way.
    ///
    /// - Returns: whether the call ended the request.
    private mutating func end(_ generation: UInt64) -> Bool {
        guard isBusy, generation == self.generation else { return false }
        isBusy = false
        return true
    }
}
