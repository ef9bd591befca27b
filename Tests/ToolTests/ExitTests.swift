import GoalLock
import PasscodeLock
import PortcullisCore
import Testing

@testable import portcullis

/// Errors that hardly anybody can bring about from outside, and what the tool makes of them.
@Suite("What errors come to")
struct ExitTests {
    @Test(
        "A-11: each error of the goal lock, and what is behind it, has its exit status",
        arguments: [
            (GoalError(code: .invalidGoal, message: "m"), ToolExit.usage),
            (GoalError(code: .invalidProgress, message: "m"), .usage),
            (GoalError(code: .invalidDayStart, message: "m"), .usage),
            (GoalError(code: .damagedRecord, message: "m"), .damaged),
            (GoalError(code: .newerRecord, message: "m"), .newerFormat),
            (GoalError(code: .notifier, message: "m"), .refused),
            (GoalError(code: .store, message: "m", cause: store(.lockTimeout)), .busy),
            (GoalError(code: .store, message: "m", cause: store(.rolledBack)), .rolledBack),
            (GoalError(code: .shield, message: "m", cause: shield(.stateUnreadable)), .damaged),
            (GoalError(code: .shield, message: "m", cause: shield(.notAuthorized)), .refused),
            (
                GoalError(code: .shield, message: "m", cause: shield(.systemFailure, store(.wrongKey))),
                .wrongKey
            ),
        ]
    )
    func goal(error: GoalError, exit: ToolExit) throws {
        let failure = try #require(ToolFailure(error as any Error))
        #expect(failure.exit == exit)
        #expect(failure.message.contains("m"))
    }

    @Test("P-20: a timeout has at most 100 years, because a record can hold no longer one")
    func timeouts() {
        for (text, isTaken) in [
            ("36500d", true), ("36500d1s", false), ("1000000h", false), ("never", true), ("0s", true),
        ] {
            #expect((TimeoutArgument(argument: text) != nil) == isTaken, "\(text)")
        }
    }

    @Test(
        "P-5: each error of the passcode lock, and what is behind it, has its exit status",
        arguments: [
            (PasscodeError(code: .wrongFormat, message: "m"), ToolExit.usage),
            (PasscodeError(code: .damagedRecord, message: "m"), .damaged),
            (PasscodeError(code: .store, message: "m", cause: store(.diskFull)), .refused),
        ]
    )
    func passcode(error: PasscodeError, exit: ToolExit) throws {
        #expect(try #require(ToolFailure(error as any Error)).exit == exit)
    }

    private static func store(_ code: SecretStoreError.Code) -> SecretStoreError {
        SecretStoreError(code: code, message: "m")
    }

    private static func shield(_ code: ShieldError.Code, _ cause: (any Error)? = nil) -> ShieldError {
        ShieldError(code: code, message: "m", cause: cause)
    }
}
