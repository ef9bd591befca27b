import LockScreens
import PortcullisCore

extension ScreenModel {
    /// Takes an event at a moment that does not matter.
    mutating func handle(_ event: Event) -> [Effect] {
        handle(event, at: Moment(wall: .seconds(0), sinceBoot: .seconds(0), boot: BootID("any")))
    }
}
