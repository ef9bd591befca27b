/// The driver of any ``ContentScreen``. A host that shows several screens on one actor can treat their drivers
/// alike, for example as elements of one array.
///
/// Every ``ScreenDriver`` of a ``ContentScreen`` conforms. A driver belongs to the actor on which it is used.
public protocol ContentDriver: AnyObject {
    /// The present content of the screen.
    var content: ScreenContent { get }

    /// Called after each event that the screen has handled.
    var changed: () -> Void { get set }

    /// Sends an input to the screen. A call through the protocol names the actor:
    /// `send(input, isolation: self)`.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - isolation: the actor to which the driver belongs.
    func send(_ input: ScreenInput, isolation: isolated any Actor)

    /// Ends the driver. The host calls this method when it takes the screen away. See
    /// ``ScreenDriver/dismiss()``.
    func dismiss()
}

extension ScreenDriver: ContentDriver where Screen: ContentScreen {
    /// Sends an input to the screen.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - isolation: the actor to which the driver belongs.
    public func send(_ input: ScreenInput, isolation: isolated any Actor = #isolation) {
        handle(Screen.input(input), isolation: isolation)
    }
}
