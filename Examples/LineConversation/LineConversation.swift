internal import Foundation
public import LockScreens
internal import Observation
internal import PortcullisCore
internal import TerminalHost
internal import TerminalScreens

/// Shows screens as lines on standard output, and reads the person's input from standard input.
///
/// The conversation works in any terminal, with a screen reader, and in a pipe. A terminal does not show the
/// typed text, because it may be a passcode. The `ScreenStage` of the `TerminalHost` product draws the same
/// screens with dots.
@MainActor
public final class LineConversation {
    /// The lines from a pipe or a file; `nil` at a terminal.
    private let lines: AsyncStream<SecretBytes>?

    /// Makes a conversation over standard input.
    public init() {
        guard Terminal().hasPipedInput else {
            lines = nil
            return
        }
        let (lines, continuation) = AsyncStream.makeStream(of: SecretBytes.self)
        self.lines = lines
        // Waiting for a line would hold up everything else on the main actor.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(SecretBytes(copying: line.utf8)) }
            continuation.finish()
        }
    }

    /// Shows a screen until the screen or the input has ended.
    ///
    /// - Parameters:
    ///   - screen: returns the present screen; `nil` after its end. The values that it reads are observable.
    ///   - isCovered: whether something covers the screen, such as a biometric prompt, which has to end
    ///     first. The values that it reads are observable.
    public func show<Screen: ContentScreen>(
        _ screen: @escaping @MainActor () -> ScreenPresenter<Screen>?,
        whileCovered isCovered: @escaping @MainActor () -> Bool = { false }
    ) async {
        var lines = lines?.makeAsyncIterator()
        var plain = PlainScreens()
        var asked: ScreenContent?
        while let presenter = await Self.settled(screen, isCovered, asked) {
            for line in plain.lines(for: presenter.content) { print(line) }
            let line = if lines == nil { await Self.hiddenLine() } else { await lines?.next() }
            guard let line else { return }
            if !plain.interpret(line, send: presenter.send) { print(plain.hint) }
            asked = presenter.content
        }
    }

    /// Reads a line at a terminal without showing it; `nil` if the person leaves.
    private static func hiddenLine() async -> SecretBytes? {
        while let answer = try? await HiddenPrompt().line("Your answer, which is not shown") {
            switch answer {
            case .line(let line): return line
            case .tooLong: continue
            case .interrupted, .nothingTyped: return nil
            }
        }
        return nil
    }

    /// Waits until the screen takes input again.
    ///
    /// - Parameter asked: the screen's content after the last input. If the screen was busy then, the wait
    ///   goes on until the screen has something new to tell. In between it may look as if nothing had
    ///   happened.
    private static func settled<Screen: ContentScreen>(
        _ screen: @escaping @MainActor () -> ScreenPresenter<Screen>?,
        _ isCovered: @escaping @MainActor () -> Bool,
        _ asked: ScreenContent?
    ) async -> ScreenPresenter<Screen>? {
        while let presenter = screen() {
            let content = presenter.content
            let isAnswered = asked?.isBusy != true || content.tells != asked?.tells
            if content.takesInput, isAnswered, !isCovered() { return presenter }
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = (screen()?.content, isCovered())
                } onChange: {
                    continuation.resume()
                }
            }
        }
        return nil
    }
}

/// The parts of a content that tell the person something, without the typed input.
private struct Telling: Equatable {
    var prompt: String
    var message: ScreenMessage?
    var shakes: Int
    var alert: ScreenAlert?
}

extension ScreenContent {
    fileprivate var tells: Telling {
        Telling(prompt: prompt, message: message, shakes: shakes, alert: alert)
    }
}
