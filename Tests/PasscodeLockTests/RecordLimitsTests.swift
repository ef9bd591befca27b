import Foundation
@testable import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What numbers a record may hold (P-5)", .timeLimit(.minutes(5)))
struct RecordLimitsTests {
    private static let century = Duration.seconds(100 * 365 * 86_400)
    private static let anyDate = Duration.seconds(400_000_000_000)

    private func isRead(_ change: (inout PasscodeRecord) -> Void) async throws -> Bool {
        let sealed = try await FastPasscodeSealer().seal(
            SecretBytes(randomCount: 32),
            under: .first,
            context: ""
        )
        var record = PasscodeRecord(
            credential: .sealed(sealed),
            format: .standard,
            policy: .escalating,
            timeout: .immediately
        )
        change(&record)
        let bytes = SecretBytes(copying: try JSONEncoder().encode(record))
        do throws(PasscodeError) {
            #expect(try PasscodeRecord(decoding: bytes) == record)
            #expect(try PasscodeRecord(decoding: record.encoded()) == record)
            return true
        } catch {
            #expect(error.code == .damagedRecord)
        }
        // What is not read is not written either.
        do throws(PasscodeError) {
            _ = try record.encoded()
            Issue.record("a record was written that cannot be read")
        } catch {
            #expect(error.code == .invalidConfiguration)
        }
        return false
    }

    private func moment(wall: Duration = .zero, sinceBoot: Duration = .zero) -> Moment {
        Moment(wall: wall, sinceBoot: sinceBoot, boot: BootID("boot"))
    }

    @Test("P-5: durations and moments are read up to their limits, and are damage beyond them")
    func durations() async throws {
        let second = Duration.seconds(1)
        for (duration, isRight) in [
            (Self.century, true), (.zero, true), (Self.century + second, false), (.zero - second, false),
        ] {
            #expect(try await isRead { $0.timeout = .after(duration) } == isRight)
            #expect(try await isRead { $0.policy.delays = [duration] } == isRight)
            #expect(
                try await isRead { $0.lock.backgroundSince = moment(sinceBoot: duration) } == isRight
            )
            // A delay of none, or of less, is not noted at all.
            let isNoted = duration > .zero
            var policy = ThrottlePolicy.unlimited
            policy.delays = [duration]
            #expect(
                try await isRead { $0.throttle.count(at: moment(), under: policy) } == (isRight || !isNoted)
            )
        }
        #expect(try await isRead { $0.timeout = .never })
        for (wall, isRight) in [
            (Self.anyDate, true), (.zero - Self.anyDate, true), (Self.anyDate + second, false),
            (.zero - Self.anyDate - second, false),
        ] {
            #expect(try await isRead { $0.lock.backgroundSince = moment(wall: wall) } == isRight)
            #expect(
                try await isRead { $0.throttle.count(at: moment(wall: wall), under: .afterOne) } == isRight
            )
            let limit = ThrottlePolicy.unlimited.afterFailures(1, .signOut)
            #expect(try await isRead { $0.throttle.count(at: moment(wall: wall), under: limit) } == isRight)
        }
    }

    @Test("P-5: a limit of no failures is damage, and so is a count that nobody lives to see")
    func counts() async throws {
        for (failures, isRight) in [(1, true), (0, false)] {
            #expect(
                try await isRead { record in
                    record.policy = ThrottlePolicy.escalating.afterFailures(1, .erase)
                    record.policy.limit?.failures = failures
                } == isRight
            )
        }
        let bench = Bench()
        try await bench.service().set(.first)
        let text = try await bench.record()!.value.text
        for (failures, isRight) in [(1_000_000_000, true), (1_000_000_001, false)] {
            try await bench.overwriteRecord(
                text.replacing(#""failures":0"#, with: #""failures":\#(failures)"#)
            )
            #expect((try? await bench.service().status().failures) == (isRight ? failures : nil))
        }
    }

    @Test("P-5, P-51: a credential that waits for an account has one to wait for")
    func accounts() async throws {
        for (standing, isRight) in [(AccountShare.Standing.unconfirmed, true), (.confirmed, false)] {
            #expect(
                try await isRead { record in
                    record.credential = .account
                    record.account = AccountShare(standing: standing)
                } == isRight
            )
        }
        #expect(try await !isRead { $0.credential = .account })
        let sealed = try await FastPasscodeSealer().seal(
            SecretBytes(randomCount: 32),
            under: .first,
            context: ""
        )
        for (candidate, format, isRight) in [
            (sealed, PasscodeFormat.standard, true), (nil, .standard, false), (sealed, .digits(3), false),
        ] {
            #expect(
                try await isRead { record in
                    record.credential = .none
                    record.account = AccountShare(standing: .unconfirmed)
                    record.account?.act = AccountShare.Act(
                        kind: .set,
                        revision: .random(),
                        candidate: candidate,
                        format: format
                    )
                } == isRight
            )
        }
        for (timeout, isRight) in [(AccountTimeout.minutes(-1), false), (.minutes(525_600), true)] {
            #expect(
                try await isRead { record in
                    record.account = AccountShare(standing: .confirmed)
                    record.account?.timeout = timeout
                } == isRight
            )
        }
    }

    @Test("P-3: a record without an account has the layout that releases before accounts read")
    func version() async throws {
        let device = AccountBench().device()
        for (hasAccount, version) in [(false, 1), (true, 2)] {
            let user = hasAccount ? UserID.ada : .bob
            try await device.service(user, hasAccount: hasAccount).set(.first)
            let record = try await InMemorySecretStore(device.storage).read(PasscodeNames.record(of: user))
            #expect(record?.value.text.contains(#""version":\#(version)"#) == true)
        }
    }

    @Test("P-3: a count that releases without the number of tries wrote is read, and counts on")
    func earlierCount() async throws {
        let bench = Bench()
        try await bench.service().set(.first)
        _ = try await bench.service().verify(.second)
        let text = try await bench.record()!.value.text
        let earlier = text.replacing(#","tries":1"#, with: "")
        try #require(earlier != text)
        try await bench.overwriteRecord(earlier)
        #expect(try await bench.service().status().failures == 1)
        _ = try await bench.service().verify(.second)
        #expect(try await bench.service().status().failures == 2)
    }

    @Test("P-1: without a passcode there is nothing to lock, to wait for or to choose")
    func notSet() async throws {
        let bench = Bench()
        let status = try await bench.service().status()
        #expect(!status.isSet && !status.isEnabled && !status.usesBiometrics && status.failures == 0)
        #expect(status.format == bench.configuration.format && status.lock == LockMark())
    }
}

extension ThrottlePolicy {
    /// A delay from the first failure on.
    fileprivate static let afterOne = ThrottlePolicy(delays: [.seconds(60)])
}
