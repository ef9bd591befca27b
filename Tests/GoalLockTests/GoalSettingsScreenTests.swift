import GoalLock
import LockScreens
import PortcullisCore
import Testing

@Suite("Settings of the goal lock (A-21)", .timeLimit(.minutes(5)))
struct GoalSettingsScreenTests {
    private let catalogue = ShieldCatalogue(
        apps: [
            .init(token: AppToken("chat"), label: "Chat"), .init(token: AppToken("video"), label: "Video"),
        ],
        categories: [.init(token: CategoryToken("games"), label: "Games")]
    )

    func status(
        isOn: Bool,
        isEntitled: Bool = true,
        reason: GoalStatus.Reason? = nil,
        selection: ShieldSelection = RulesBench.selection,
        dayStart: TimeOfDay = .midnight
    ) -> GoalStatus {
        GoalStatus(
            isEnabled: isOn,
            isEntitled: isEntitled,
            reason: reason ?? (isOn ? nil : .disabled),
            selection: selection,
            progress: 0,
            goal: 100,
            dayStart: dayStart,
            date: .january(1),
            untilNextDay: .hours(12)
        )
    }

    /// Settings that have loaded.
    func screen(_ status: GoalStatus) -> GoalSettingsScreen {
        var screen = GoalSettingsScreen()
        #expect(screen.handle(.appeared) == [.load(generation: 1)])
        #expect(screen.content.isBusy)
        _ = screen.handle(.found(status, catalogue, generation: 1))
        return screen
    }

    @Test("A-21: the row says On or Off")
    func row() {
        #expect(GoalSettingsRow(status(isOn: true)).value == "On")
        #expect(GoalSettingsRow(status(isOn: false)).value == "Off")
        #expect(GoalSettingsRow(nil).value == "Off")
        #expect(GoalSettingsRow(nil).title == "App Lock")
    }

    @Test("A-21: while off, three rows tell what it is; held back by the paywall they are not shown")
    func off() {
        let content = screen(status(isOn: false)).content
        #expect(content.title == "App Lock" && content.control(.enable)?.title == "Enable App Lock")
        #expect(content.features == ["Choose Apps to Lock", "Walk to Unlock", "Resets Daily"])
        #expect(
            !content.isOn && content.control(.selectApps) == nil && content.chosen.isEmpty && !content.isBusy
        )
        #expect(screen(status(isOn: false, isEntitled: false)).content.features.isEmpty)
        #expect(GoalSettingsScreen().content.features.isEmpty, "nothing is known yet")
    }

    @Test("A-21: while on, what is chosen is shown by label, categories first, and can be changed")
    func on() {
        let selection = ShieldSelection(
            apps: [AppToken("video"), AppToken("chat"), AppToken("gone")],
            categories: [CategoryToken("games")]
        )
        var screen = screen(status(isOn: true, selection: selection))
        #expect(screen.content.isOn && screen.content.features.isEmpty)
        #expect(screen.content.control(.selectApps)?.title == "Select Apps")
        #expect(screen.content.chosen.map(\.label) == ["Games", "Chat", "gone", "Video"])
        #expect(screen.handle(.selectApps) == [.openPicker(selection, catalogue)])
        #expect(screen.handle(.picked(selection)).isEmpty, "nothing else was chosen")
        let other = ShieldSelection(apps: [AppToken("chat")])
        #expect(screen.handle(.picked(other)) == [.select(other, generation: 2)])
    }

    @Test("A-21: the note tells when shields reset")
    func note() throws {
        #expect(
            screen(status(isOn: true)).content.note
                == "Selected apps will be blocked until you reach your daily step goal. Shields reset at midnight."
        )
        let half = try #require(TimeOfDay(hour: 4, minute: 30))
        #expect(screen(status(isOn: true, dayStart: half)).content.note.hasSuffix("Shields reset at 04:30."))
    }

    @Test("A-21: a language writes times and counts its own way")
    func forms() throws {
        var strings = GoalStrings.english
        strings.timeOfDay = { "\($0.hour) Uhr \($0.minute)" }
        strings.chosen = PluralText(one: "%@ App", other: "%@ Apps")
        #expect(strings.note(dayStart: try #require(TimeOfDay(hour: 4, minute: 30))).hasSuffix("4 Uhr 30."))
        #expect(strings.note(dayStart: .midnight).hasSuffix("midnight."))
        strings.note = { "100 %@ until \($0)" }
        let titled = strings.note(dayStart: .midnight)
        #expect(titled == "100 %@ until midnight", "a title is no place to fill in")
        #expect([0, 1, 2].map { strings.chosen($0) } == ["0 Apps", "1 App", "2 Apps"])
        let hostile = PluralText(one: "%@", other: "%@ of %@")
        #expect(hostile(7) == "7 of %@", "the first place alone is filled in")
    }

    @Test("A-21: the switch is busy while authorising, and does nothing meanwhile")
    func busy() {
        var screen = screen(status(isOn: false))
        #expect(screen.handle(.toggle) == [.enable(generation: 2)])
        #expect(screen.content.isBusy && !screen.content.isOn)
        #expect(screen.handle(.toggle).isEmpty)
        #expect(screen.handle(.selectApps).isEmpty)
        _ = screen.handle(.enabled(.enabled(status(isOn: true)), generation: 2))
        #expect(!screen.content.isBusy && screen.content.isOn)
        #expect(screen.handle(.toggle) == [.disable(generation: 3)])
        _ = screen.handle(.found(status(isOn: false), catalogue, generation: 3))
        #expect(!screen.content.isOn)
    }

    @Test("A-7: without the entitlement the paywall is shown and the switch stays off")
    func paywall() {
        var screen = screen(status(isOn: false, isEntitled: false))
        _ = screen.handle(.toggle)
        #expect(screen.handle(.enabled(.notEntitled, generation: 2)) == [.openPaywall])
        #expect(!screen.content.isOn && !screen.content.isBusy && screen.content.alert == nil)
    }

    @Test("A-8: denied, an alert says how to allow it and must be closed; the switch stays off")
    func denied() {
        var screen = screen(status(isOn: false))
        _ = screen.handle(.toggle)
        #expect(screen.handle(.enabled(.notAuthorized(howToAllow: "In Settings"), generation: 2)).isEmpty)
        #expect(screen.content.alert?.text == "In Settings" && !screen.content.isOn)
        #expect(screen.handle(.toggle).isEmpty && screen.handle(.selectApps).isEmpty)
        _ = screen.handle(.alertClosed)
        #expect(screen.content.alert == nil)
        #expect(screen.handle(.toggle) == [.enable(generation: 3)])
        _ = screen.handle(.enabled(.notAuthorized(howToAllow: nil), generation: 3))
        #expect(screen.content.alert?.text == GoalStrings.english.deniedText)
    }

    @Test("A-8: while on, the reason why shields are down is shown")
    func reasons() {
        let revoked = screen(status(isOn: true, reason: .notAuthorized(howToAllow: "See Settings.")))
        #expect(revoked.content.message?.text == "App Lock may no longer block apps. See Settings.")
        let lapsed = screen(status(isOn: true, isEntitled: false, reason: .notEntitled))
        #expect(lapsed.content.message?.text == GoalStrings.english.lapsed)
        #expect(screen(status(isOn: true, reason: .reached)).content.message?.text == nil)
    }

    @Test("A-21: an answer that comes late, to a screen that asked anew, is ignored")
    func late() {
        var screen = GoalSettingsScreen()
        _ = screen.handle(.appeared)
        _ = screen.handle(.appeared)
        _ = screen.handle(.found(status(isOn: true), nil, generation: 1))
        _ = screen.handle(.failed(message: "old", generation: 1))
        #expect(screen.content.isBusy && !screen.content.isOn && screen.content.message?.text == nil)
        _ = screen.handle(.found(status(isOn: false), nil, generation: 2))
        #expect(screen.handle(.enabled(.notEntitled, generation: 2)).isEmpty, "answered already")
    }

    @Test("A-11: what could not be done is shown until the next try")
    func failed() {
        var screen = screen(status(isOn: true))
        _ = screen.handle(.toggle)
        _ = screen.handle(.failed(message: "disk full", generation: 2))
        #expect(screen.content.message?.text == "disk full" && !screen.content.isBusy && screen.content.isOn)
        _ = screen.handle(.toggle)
        #expect(screen.content.message?.text == nil)
    }

    @Test("A-11: settings that could not be read are read again by the switch")
    func readsAgain() {
        var screen = GoalSettingsScreen()
        _ = screen.handle(.appeared)
        _ = screen.handle(.failed(message: "busy", generation: 1))
        #expect(screen.handle(.selectApps).isEmpty && screen.content.message?.text == "busy")
        #expect(screen.handle(.toggle) == [.load(generation: 2)])
        _ = screen.handle(.found(status(isOn: true), catalogue, generation: 2))
        #expect(screen.content.isOn && screen.content.message?.text == nil)
    }

    @Test("A-11: while progress cannot be read the settings say so, but not while the lock is off")
    func unreadableProgress() {
        var known = status(isOn: true)
        known.isProgressUnreadable = true
        #expect(screen(known).content.message?.text == GoalStrings.english.unreadableProgress)
        known.isEnabled = false
        known.reason = .disabled
        #expect(screen(known).content.message?.text == nil)
    }

    @Test("A-23: one picker at a time, and its choice is not lost to settings that load anew")
    func onePicker() {
        var screen = screen(status(isOn: true))
        #expect(screen.handle(.selectApps).count == 1)
        #expect(screen.handle(.selectApps).isEmpty, "pressed twice fast")
        #expect(screen.handle(.picked(nil)).isEmpty)
        #expect(screen.handle(.selectApps).count == 1, "closed without a choice, it opens again")
        #expect(screen.handle(.appeared) == [.load(generation: 2)])
        let other = ShieldSelection(apps: [AppToken("video")])
        #expect(screen.handle(.picked(other)) == [.select(other, generation: 3)])
        _ = screen.handle(.found(status(isOn: true), catalogue, generation: 2))
        #expect(screen.content.isBusy, "the answer to the earlier request")
        _ = screen.handle(.found(status(isOn: true, selection: other), catalogue, generation: 3))
        #expect(screen.content.chosen.map(\.label) == ["Video"])
    }

    @Test("A-23: a picker that went away without an answer does not keep the next one shut")
    func pickerWithoutAnswer() {
        var screen = screen(status(isOn: true))
        #expect(screen.handle(.selectApps).count == 1)
        #expect(screen.handle(.selectApps).isEmpty)
        #expect(screen.handle(.appeared) == [.load(generation: 2)])
        _ = screen.handle(.found(status(isOn: true), catalogue, generation: 2))
        #expect(screen.handle(.selectApps) == [.openPicker(RulesBench.selection, catalogue)])
    }

    @Test("A-21: settings that come back into view wait for what runs; its answer is not dropped")
    func comesBack() {
        var screen = screen(status(isOn: true))
        #expect(screen.handle(.toggle) == [.disable(generation: 2)])
        #expect(screen.handle(.appeared).isEmpty && screen.content.isBusy)
        _ = screen.handle(.failed(message: "wrong passcode", generation: 2))
        #expect(screen.content.message?.text == "wrong passcode")
        _ = screen.handle(.changed(status(isOn: true)))
        #expect(screen.content.message?.text == "wrong passcode", "it is about what the person did")
    }

    @Test("A-11: what could not be read is not complained of any more once it could")
    func readAfterAll() {
        var screen = GoalSettingsScreen()
        _ = screen.handle(.appeared)
        _ = screen.handle(.failed(message: "busy", generation: 1))
        _ = screen.handle(.changed(status(isOn: true)))
        #expect(screen.content.isOn && screen.content.message?.text == nil)
    }

    @Test("A-21: chosen apps stand in the picker's order; those with the same label keep theirs")
    func order() {
        let mixed = ["beta", "Alpha", "Gamma"].map { AppToken($0) }
        let chosen = screen(status(isOn: true, selection: ShieldSelection(apps: Set(mixed)))).content.chosen
        #expect(chosen.map(\.label) == ["Alpha", "beta", "Gamma"])
        let tokens = (0..<50).map { AppToken("app\(100 + $0)") }
        let same = ShieldCatalogue(apps: tokens.map { .init(token: $0, label: "Chat") }, categories: [])
        var screen = screen(status(isOn: true, selection: ShieldSelection(apps: Set(tokens))))
        _ = screen.handle(.appeared)
        _ = screen.handle(
            .found(status(isOn: true, selection: ShieldSelection(apps: Set(tokens))), same, generation: 2)
        )
        #expect(screen.content.chosen.map(\.id) == tokens.map { ControlID.app($0) })
    }

    @Test("A-21: settings follow the lock, and Done closes them")
    func follows() {
        var screen = screen(status(isOn: true))
        _ = screen.handle(.changed(status(isOn: false)))
        #expect(!screen.content.isOn)
        #expect(screen.handle(.done) == [.finish])
    }

    @Test("A-23: the picker lists apps and categories by label, and keeps or drops the choice")
    func picker() {
        let selection = ShieldSelection(apps: [AppToken("chat"), AppToken("gone")])
        var picker = PickerScreen(catalogue: catalogue, selection: selection)
        #expect(picker.content.apps.map(\.label) == ["Chat", "Video", "gone"])
        #expect(picker.content.apps.map(\.isChosen) == [true, false, true])
        #expect(picker.content.categories.map(\.label) == ["Games"])
        _ = picker.handle(.toggleApp(AppToken("gone")))
        _ = picker.handle(.toggleApp(AppToken("video")))
        _ = picker.handle(.toggleApp(AppToken("unknown")))
        _ = picker.handle(.toggleCategory(CategoryToken("games")))
        _ = picker.handle(.toggleCategory(CategoryToken("unknown")))
        #expect(picker.content.apps.map(\.isChosen) == [true, true, false])
        let chosen = ShieldSelection(
            apps: [AppToken("chat"), AppToken("video")],
            categories: [CategoryToken("games")]
        )
        var dropped = picker
        #expect(picker.handle(.done) == [.finish(chosen)])
        #expect(dropped.handle(.cancel) == [.finish(nil)])
    }

    @Test("A-23: a search narrows the list and loses nothing that is chosen")
    func search() {
        var picker = PickerScreen(catalogue: catalogue, selection: RulesBench.selection)
        _ = picker.handle(.search("VID"))
        #expect(picker.content.apps.map(\.label) == ["Video"] && picker.content.categories.isEmpty)
        #expect(picker.handle(.done) == [.finish(RulesBench.selection)])
    }

    @Test("A-23: a picker ends once, with the first answer")
    func endsOnce() {
        for ending in [PickerScreen.Event.done, .cancel] {
            var picker = PickerScreen(catalogue: catalogue)
            #expect(picker.handle(ending).count == 1)
            #expect(picker.handle(.done).isEmpty && picker.handle(.cancel).isEmpty)
        }
    }
}
