import GoalLock
import LockScreens
import PortcullisCore
import Testing

/// Failed work that a launched lock repeats by itself.
extension GoalSettingsScreenTests {
    @Test("A-11: work that the lock repeats is told to have failed until the settings could load anew")
    func repeated() {
        var screen = screen(status(isOn: true))
        _ = screen.handle(.toggle)
        #expect(screen.handle(.failed(message: "shut", isRepeated: true, generation: 2)).isEmpty)
        #expect(screen.handle(.changed(status(isOn: false))) == [.load(generation: 3)])
        #expect(screen.content.message?.text == "shut" && !screen.content.isOn)
        #expect(screen.handle(.failed(message: "still shut", isRepeated: true, generation: 3)).isEmpty)
        #expect(screen.content.message?.text == "still shut")
        #expect(screen.handle(.changed(status(isOn: false))) == [.load(generation: 4)])
        _ = screen.handle(.found(status(isOn: false), nil, generation: 4))
        #expect(screen.content.message == nil && !screen.content.isBusy)
        #expect(screen.handle(.changed(status(isOn: true))).isEmpty)
    }

    @Test("A-11: where the lock repeated the work before the failure was told, the settings load once more")
    func overtaken() {
        var screen = screen(status(isOn: true))
        _ = screen.handle(.toggle)
        #expect(screen.handle(.changed(status(isOn: false))).isEmpty)
        let failure = GoalSettingsScreen.Event.failed(message: "shut", isRepeated: true, generation: 2)
        #expect(screen.handle(failure) == [.load(generation: 3)])
        #expect(screen.content.message?.text == "shut")
        #expect(screen.handle(.failed(message: "shut", isRepeated: true, generation: 3)).isEmpty, "once")
    }

    @Test("A-11: while the settings load anew by themselves, the switch works", arguments: [true, false])
    func usable(isOn: Bool) {
        var screen = screen(status(isOn: isOn))
        _ = screen.handle(.toggle)
        _ = screen.handle(.failed(message: "shut", isRepeated: true, generation: 2))
        #expect(screen.handle(.changed(status(isOn: isOn))) == [.load(generation: 3)])
        #expect(!screen.content.isBusy && screen.content.control(.enable)?.isEnabled == true)
        #expect(screen.handle(.toggle) == [isOn ? .disable(generation: 4) : .enable(generation: 4)])
        #expect(screen.content.isBusy && screen.content.message == nil)
        _ = screen.handle(.found(status(isOn: !isOn), nil, generation: 3))
        #expect(screen.content.isOn == isOn, "the answer to the load is ignored")
        #expect(screen.content.isBusy)
    }
}
