import PortcullisTesting
import Testing

/// Each check inside a clause has an answer that only it catches: with the check gone, the clause no longer notices
/// that answer.
@Suite("Transcripts: what the clauses ask and notice (X-3)", .serialized, .timeLimit(.minutes(10)))
struct TranscriptTests {
    @Test("X-3: a store's clause asks and notices what is recorded", arguments: SecretStoreContract.allCases)
    func stores(_ clause: SecretStoreContract) async throws {
        let order: ClauseTranscript.Order =
            switch clause {
            case .concurrentIncrements, .openingsShare: .repeated
            case .concurrentCreations, .concurrentRemovals, .noTornReads, .batchIsOneStep, .waitsOffThePool,
                .readsOneMoment:
                .concurrent
            default: .serial
            }
        guard clause != .silentStreamsEnd else { return }
        let transcript = try await ClauseTranscript(clause, order) {
            try await clause.check(TranscribedStore.subject($0))
        }
        try transcript.expectAsRecorded("SecretStore", clause)
    }

    @Test(
        "X-3: a scheduler's clause asks and notices what is recorded",
        arguments: ActivitySchedulerContract.allCases
    )
    func schedulers(_ clause: ActivitySchedulerContract) async throws {
        // It asks nothing of a scheduler that can do all.
        guard clause != .refusesUnsupported else { return }
        let order: ClauseTranscript.Order = clause == .concurrentChanges ? .repeated : .serial
        let transcript = try await ClauseTranscript(clause, order) {
            try await clause.check(TranscribedScheduler.subject($0))
        }
        try transcript.expectAsRecorded("ActivityScheduler", clause)
    }

    @Test(
        "X-3: an authenticator's clause asks and notices what is recorded",
        arguments: BiometricAuthenticatorContract.allCases
    )
    func authenticators(_ clause: BiometricAuthenticatorContract) async throws {
        let hasRivals = clause == .twoPrompts || clause == .concurrentPrompts
        let isConcurrent = hasRivals || clause == .concurrentEnrolments
        // Which comes first, the end of a prompt that is cancelled or switched off, or the match, is left to chance.
        let tellsPrompts = !hasRivals && clause != .lateMatch && clause != .switchedOffMeanwhile
        let transcript = try await ClauseTranscript(clause, isConcurrent ? .concurrent : .serial) {
            try await clause.check(TranscribedBiometrics.subject($0, tellsPrompts: tellsPrompts))
        }
        try transcript.expectAsRecorded("BiometricAuthenticator", clause)
    }

    @Test("X-3: a notifier's clause asks and notices what is recorded", arguments: NotifierContract.allCases)
    func notifiers(_ clause: NotifierContract) async throws {
        let isConcurrent = [.concurrentDeliveries, .concurrentReplacements, .stuckReader].contains(clause)
        let transcript = try await ClauseTranscript(clause, isConcurrent ? .concurrent : .serial) {
            try await clause.check(TranscribedNotifier.subject($0))
        }
        try transcript.expectAsRecorded("Notifier", clause)
    }

    @Test(
        "X-3: where time cannot be moved, a notifier's clause asks and notices what is recorded",
        arguments: [
            NotifierContract.nothingAtFirst, .now, .nowInOrder, .pastDate, .pending, .replaces, .replacesNow,
            .cancels, .cancelsUnknown, .reused, .cancelledCalls, .forbidden, .authorization,
        ]
    )
    func runningNotifiers(_ clause: NotifierContract) async throws {
        let transcript = try await ClauseTranscript(clause) {
            try await clause.check(TranscribedNotifier.runningSubject($0))
        }
        try transcript.expectAsRecorded("RunningNotifier", clause)
    }

    @Test(
        "X-3: a shield controller's clause asks and notices what is recorded",
        arguments: ShieldControllerContract.allCases
    )
    func shields(_ clause: ShieldControllerContract) async throws {
        let isConcurrent = clause == .concurrentShields || clause == .concurrentChanges
        let transcript = try await ClauseTranscript(clause, isConcurrent ? .concurrent : .serial) {
            try await clause.check(TranscribedShields.subject($0))
        }
        try transcript.expectAsRecorded("ShieldController", clause)
    }

    @Test(
        "X-3: an account's clause asks and notices what is recorded",
        arguments: PasscodeAccountContract.allCases
    )
    func accounts(_ clause: PasscodeAccountContract) async throws {
        let isConcurrent = [.countsConcurrent, .concurrentResets, .concurrentSets].contains(clause)
        let transcript = try await ClauseTranscript(clause, isConcurrent ? .concurrent : .serial) {
            // Which passcode the first task sets is up to the tasks.
            try await clause.check(TranscribedAccount.subject($0, tellsPasscodes: clause != .concurrentSets))
        }
        try transcript.expectAsRecorded("PasscodeAccount", clause)
    }
}
