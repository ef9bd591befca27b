import LockScreens
import PasscodeLock
import PortcullisCore

extension SecretBytes {
    /// A secret of a text that a test made up.
    convenience init(_ text: String) { self.init(copying: text.utf8) }

    /// The bytes as text, to be compared in a test.
    var text: String {
        withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}

extension Moment {
    /// A morning on a first boot.
    static let start = Moment(wall: .seconds(1_790_000_000), sinceBoot: .seconds(1000), boot: BootID("first"))

    static func + (moment: Moment, seconds: Int) -> Moment { moment.advanced(by: .seconds(seconds)) }

    /// After a restart that took so long by the wall clock.
    func rebooted(after downtime: Duration) -> Moment {
        Moment(wall: wall + downtime, sinceBoot: .seconds(5), boot: BootID(boot.rawValue + "'"))
    }
}

extension UserID {
    static let ada = UserID("ada")!
    static let bob = UserID("bob")!
}

/// Drives a screen by hand, at one moment unless told otherwise.
struct Stage<Screen: ContentScreen> {
    var screen: Screen
    var moment = Moment.start

    init(_ screen: Screen) { self.screen = screen }

    var content: ScreenContent { screen.content }

    @discardableResult
    mutating func send(_ event: Screen.Event) -> [Screen.Effect] { screen.handle(event, at: moment) }

    /// Types digits, and returns the effects of the last one.
    @discardableResult
    mutating func type(_ digits: String) -> [Screen.Effect] {
        var effects: [Screen.Effect] = []
        for digit in digits { effects = send(Screen.input(.digit(digit.wholeNumberValue!))) }
        return effects
    }

    @discardableResult
    mutating func activate(_ id: ControlID) -> [Screen.Effect] { send(Screen.input(.activate(id))) }

    func control(_ id: ControlID) -> ScreenControl? { content.controls.first { $0.id == id } }
}

/// The code of the error that a call throws; `nil` for none.
func code(_ body: () async throws(PasscodeError) -> Void) async -> PasscodeError.Code? {
    do throws(PasscodeError) {
        try await body()
        return nil
    } catch {
        return error.code
    }
}
