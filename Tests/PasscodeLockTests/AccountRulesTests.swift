@testable import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What an account's answers do to a record, case by case (P-51)")
struct AccountRulesTests {
    private let rules: AccountRules
    private let mine = AccountRevision.random()
    private let theirs = AccountRevision.random()
    private let sealed: SealedKey

    init() async throws {
        rules = AccountRules(blank: Self.record(.account, .digits(6)))
        sealed = try await FastPasscodeSealer().seal(SecretBytes(randomCount: 32), under: .first, context: "")
    }

    private static func record(
        _ credential: PasscodeRecord.Credential,
        _ format: PasscodeFormat
    ) -> PasscodeRecord {
        PasscodeRecord(
            credential: credential,
            format: format,
            policy: .escalating,
            timeout: .after(.seconds(900))
        )
    }

    /// A passcode of eight digits, which no blank record has.
    private func record(_ standing: AccountShare.Standing, revision: AccountRevision?) -> PasscodeRecord {
        var record = Self.record(.sealed(sealed), .digits(8))
        record.account = AccountShare(standing: standing, revision: revision)
        return record
    }

    /// The format of the next passcode, where new passcodes have six digits.
    private func asked(_ record: PasscodeRecord?) -> PasscodeFormat? {
        record?.askedFormat(configured: rules.blank.format)
    }

    private func status(_ revision: AccountRevision?, hasPasscode: Bool = true) -> AccountPasscodeStatus {
        AccountPasscodeStatus(
            hasPasscode: hasPasscode,
            isEnabled: true,
            timeout: .minutes(15),
            revision: revision
        )
    }

    private func heard(_ status: AccountPasscodeStatus, _ found: PasscodeRecord?) -> (
        record: PasscodeRecord?, notices: [AccountNotice]
    ) { rules.after(.heard(status, fresh: .random()), found) }

    @Test(
        "P-51: what became of sending a passcode whose upload is pending says nothing about a record without a pending upload"
    )
    func noPendingUpload() {
        for standing in [AccountShare.Standing.confirmed, .unconfirmed] {
            let settled = record(standing, revision: theirs)
            let events: [AccountRules.Event] = [
                .uploadBegan(mine), .uploadFailed(mine), .uploadDone(mine),
                .pendingUploadReplaced(sealed, format: .digits(4), fresh: .random()),
            ]
            for event in events {
                let after = rules.after(event, settled)
                #expect(after.record == settled, "\(event)")
                #expect(after.notices.isEmpty)
                #expect(rules.after(event, nil).record == nil)
            }
        }
    }

    @Test("P-51: while it is pending, sending is noted with the same revision")
    func pendingUpload() {
        let pending = record(.pendingUpload(mine, wasSent: false), revision: nil)
        #expect(
            rules.after(.uploadBegan(mine), pending).record?.account?.standing
                == .pendingUpload(mine, wasSent: true)
        )
        let sent = record(.pendingUpload(mine, wasSent: true), revision: nil)
        #expect(
            rules.after(.uploadFailed(mine), sent).record?.account?.standing
                == .pendingUpload(mine, wasSent: false)
        )
        let delivered = rules.after(.uploadDone(mine), sent).record
        #expect(delivered?.account?.standing == .confirmed)
        #expect(delivered?.account?.revision == mine)
        for event in [AccountRules.Event.uploadBegan(theirs), .uploadFailed(theirs), .uploadDone(theirs)] {
            #expect(rules.after(event, sent).record == sent, "\(event) is about another passcode")
            #expect(rules.after(event, pending).record == pending)
        }
    }

    @Test("P-31, P-51: another revision means another passcode, whose format is not the old one's")
    func otherRevision() {
        let (after, notices) = heard(status(theirs), record(.confirmed, revision: mine))
        #expect(after?.account?.standing == .unconfirmed)
        #expect(after?.account?.revision == theirs)
        #expect(asked(after) == .digits(6), "asked for as the configuration has it")
        #expect(after?.credential == .sealed(sealed), "the key is kept for the same passcode")
        #expect(notices == [.changedElsewhere])
        #expect(heard(status(theirs), after).notices.isEmpty, "told once")
    }

    @Test("P-51: the same revision changes neither standing nor format")
    func sameRevision() {
        let (after, notices) = heard(status(mine), record(.confirmed, revision: mine))
        #expect(after?.account?.standing == .confirmed)
        #expect(after?.format == .digits(8))
        #expect(notices.isEmpty)
    }

    @Test("P-51: switched off elsewhere and set again, it is another passcode")
    func setAgain() {
        let (off, notices) = heard(status(theirs, hasPasscode: false), record(.confirmed, revision: mine))
        #expect(off?.account?.isSwitchedOff == true)
        #expect(notices == [.switchedOffElsewhere])
        #expect(asked(off) == .digits(8))
        // Even under the revision that it had before.
        var switchedOff = record(.confirmed, revision: mine)
        switchedOff.account?.isSwitchedOff = true
        let (on, told) = heard(status(mine), switchedOff)
        #expect(on?.account?.isSwitchedOff == false)
        #expect(on?.account?.standing == .unconfirmed)
        #expect(asked(on) == .digits(6))
        #expect(told == [.changedElsewhere])
    }

    @Test("P-31, P-51: switched off after a change, this device's passcode is checked here, in its format")
    func changedThenSwitchedOff() {
        let changed = heard(status(theirs), record(.confirmed, revision: mine)).record
        #expect(changed?.needsAccount == true)
        let (off, notices) = heard(status(.random(), hasPasscode: false), changed)
        #expect(off?.needsAccount == false && off?.account?.standing == .unconfirmed)
        #expect(asked(off) == .digits(8))
        #expect(notices == [.switchedOffElsewhere])
        #expect(heard(status(theirs), off).record?.needsAccount == true)
        // A device that has no credential of its own can check nothing.
        let known = heard(status(mine), nil).record
        #expect(heard(status(theirs, hasPasscode: false), known).record?.needsAccount == true)
    }

    @Test("P-31, P-51: a passcode that only the account has keeps the format in which it was heard of")
    func formatOfUnknown() {
        let earlier = AccountRules(blank: Self.record(.account, .digits(8)))
        let known = earlier.after(.heard(status(mine), fresh: .random()), nil).record
        #expect(asked(known) == .digits(8))
        let same = heard(status(mine), known).record
        #expect(asked(same) == .digits(8))
        #expect(asked(heard(status(theirs), same).record) == .digits(6), "another passcode")
        let off = heard(status(theirs, hasPasscode: false), same).record
        #expect(asked(heard(status(.random()), off).record) == .digits(6))
    }

    @Test("P-51: a passcode whose upload is pending meets one that was set elsewhere")
    func pendingUploadMeetsOther() {
        let (after, notices) = heard(
            status(theirs),
            record(.pendingUpload(mine, wasSent: true), revision: nil)
        )
        #expect(after?.account?.standing == .unconfirmed)
        #expect(asked(after) == .digits(6))
        #expect(notices == [.changedElsewhere])
        let (own, none) = heard(status(mine), record(.pendingUpload(mine, wasSent: true), revision: nil))
        #expect(own?.account?.standing == .confirmed)
        #expect(own?.format == .digits(8))
        #expect(none.isEmpty)
        let (still, quiet) = heard(
            status(mine, hasPasscode: false),
            record(.pendingUpload(mine, wasSent: true), revision: nil)
        )
        #expect(
            still?.account?.standing == .pendingUpload(mine, wasSent: true),
            "the revision alone says nothing"
        )
        #expect(quiet.isEmpty)
    }

    @Test("P-51: a passcode of this device alone meets an account")
    func aloneMeetsAccount() {
        var alone = record(.confirmed, revision: nil)
        alone.account = nil
        let (known, notices) = heard(status(theirs), alone)
        #expect(known?.account?.standing == .unconfirmed)
        #expect(asked(known) == .digits(6))
        #expect(notices == [.changedElsewhere])
        let fresh = AccountRevision.random()
        let (pending, none) = rules.after(.heard(status(nil, hasPasscode: false), fresh: fresh), alone)
        #expect(pending?.account?.standing == .pendingUpload(fresh, wasSent: false))
        #expect(pending?.format == .digits(8))
        #expect(none.isEmpty)
    }

    @Test("P-51: a passcode that has to be asked for anyway is not told as changed once more")
    func unconfirmedAgain() {
        let (after, notices) = heard(status(theirs), record(.unconfirmed, revision: mine))
        #expect(after?.account?.standing == .unconfirmed)
        #expect(notices.isEmpty)
    }

    @Test("P-13, P-51: a reset leaves no baseline of biometrics and no count; a change keeps the baseline")
    func resetAndChange() {
        for (kind, digest) in [(AccountAct.reset, nil), (.change, [1])] as [(AccountAct, [UInt8]?)] {
            let act = AccountShare.Act(kind: kind, revision: mine, candidate: sealed, format: .digits(4))
            var found = record(.confirmed, revision: theirs)
            found.biometrics = PasscodeRecord.Biometrics(enrolmentDigest: [1])
            found.throttle.count(at: .start, under: .escalating)
            found.account?.act = act
            let after = rules.after(.carriedOut(act, since: theirs), found).record
            #expect(after?.biometrics == PasscodeRecord.Biometrics(enrolmentDigest: digest))
            #expect(after?.throttle.failures == 0)
            #expect(after?.format == .digits(4))
        }
    }

    @Test("P-7, P-51: what the account confirms clears the count; another key waits for biometrics anew")
    func confirmed() {
        for keepsKey in [true, false] {
            var found = record(.unconfirmed, revision: mine)
            found.biometrics = PasscodeRecord.Biometrics(enrolmentDigest: [1])
            found.throttle.count(at: .start, under: .escalating)
            let event = AccountRules.Event.confirmed(.sealed(sealed), format: .digits(6), keepsKey: keepsKey)
            let after = rules.after(event, found).record
            #expect(after?.account?.standing == .confirmed)
            #expect(after?.throttle.failures == 0)
            #expect(after?.biometrics?.enrolmentDigest == (keepsKey ? [1] : nil))
            let settled = record(.confirmed, revision: mine)
            #expect(rules.after(event, settled).record == settled, "nothing was to be confirmed")
        }
    }

    @Test("P-51: a timeout that a server must not say is not taken from it")
    func impossibleTimeout() {
        let (before, _) = heard(status(mine), record(.confirmed, revision: mine))
        for minutes in [-1, 525_601] {
            var wrong = status(mine)
            wrong.timeout = .minutes(minutes)
            #expect(heard(wrong, before).record?.account?.timeout == .minutes(15))
            #expect(heard(wrong, nil).record?.account?.timeout == nil)
        }
    }

    @Test("P-51: switched off elsewhere is told once, whatever becomes of the account without a passcode")
    func switchedOffAgain() {
        let (off, told) = heard(status(theirs, hasPasscode: false), record(.confirmed, revision: mine))
        #expect(told == [.switchedOffElsewhere])
        let third = AccountRevision.random()
        let (again, notices) = heard(status(third, hasPasscode: false), off)
        #expect(again?.account?.revision == third && notices.isEmpty)
    }

    @Test("P-51: a first passcode after one that was switched off is set on top of what the account has now")
    func setAfterSwitchedOff() {
        var off = record(.confirmed, revision: theirs)
        off.account?.isSwitchedOff = true
        let act = AccountShare.Act(kind: .set, revision: mine, candidate: sealed, format: .digits(6))
        let after = rules.after(.began(act, hadRecord: false), off).record
        #expect(after?.credential == PasscodeRecord.Credential.none)
        #expect(after?.account?.revision == theirs && after?.account?.act == act)
    }

    @Test(
        "P-35, P-51: an act does not replace the act that sets a first passcode meanwhile",
        arguments: [false, true]
    )
    func firstPasscodeMeanwhile(hadRecord: Bool) {
        let first = AccountShare.Act(kind: .set, revision: theirs, candidate: sealed, format: .digits(6))
        let reset = AccountShare.Act(kind: .reset, revision: mine, candidate: sealed, format: .digits(6))
        let setting = rules.after(.began(first, hadRecord: false), nil).record
        #expect(setting?.account?.act == first)
        #expect(rules.after(.began(reset, hadRecord: hadRecord), setting).record == setting)
        // Without that act, a reset makes a record only on a device that had none.
        let alone = rules.after(.began(reset, hadRecord: hadRecord), nil).record
        #expect(alone?.account?.act == (hadRecord ? nil : reset))
    }

    @Test("P-13, P-51: an act that an early status dropped keeps its seal, and the account is asked")
    func dropped() async throws {
        let candidate = try await FastPasscodeSealer().seal(
            SecretBytes(randomCount: 32),
            under: .second,
            context: ""
        )
        let act = AccountShare.Act(kind: .change, revision: mine, candidate: candidate, format: .digits(4))
        let carriedOut = AccountRules.Event.carriedOut(act, since: theirs)
        // The status told nothing of the act, or a later one told of it after it was dropped.
        for (standing, revision) in [
            (AccountShare.Standing.confirmed, theirs), (.unconfirmed, theirs), (.unconfirmed, mine),
            (.confirmed, mine),
        ] {
            var found = record(standing, revision: revision)
            found.biometrics = PasscodeRecord.Biometrics(enrolmentDigest: [1])
            let after = rules.after(carriedOut, found).record
            #expect(after?.credential == .sealed(candidate))
            #expect(after?.format == .digits(4))
            #expect(after?.account?.standing == .unconfirmed)
            #expect(after?.biometrics == PasscodeRecord.Biometrics())
        }
        // A passcode that was set after the act's passcode stays.
        for standing in [AccountShare.Standing.confirmed, .unconfirmed] {
            let after = rules.after(carriedOut, record(standing, revision: .random())).record
            #expect(after?.credential == .sealed(sealed))
            #expect(after?.account?.standing == .unconfirmed)
        }
        let pending = record(.pendingUpload(.random(), wasSent: false), revision: theirs)
        #expect(rules.after(carriedOut, pending).record?.credential == .sealed(sealed))
        let off = AccountShare.Act(kind: .switchOff, revision: mine, candidate: nil, format: .digits(4))
        let carriedOff = AccountRules.Event.carriedOut(off, since: theirs)
        #expect(rules.after(carriedOff, record(.confirmed, revision: theirs)).record == nil)
        var told = record(.confirmed, revision: mine)
        told.account?.isSwitchedOff = true
        #expect(rules.after(carriedOff, told).record == nil)
        // Another passcode that was set, or is being set, after the act stays.
        let kept = rules.after(carriedOff, record(.confirmed, revision: .random())).record
        #expect(kept?.credential == .sealed(sealed) && kept?.account?.standing == .unconfirmed)
        let offline = record(.pendingUpload(.random(), wasSent: false), revision: theirs)
        #expect(rules.after(carriedOff, offline).record != nil)
        let setting = rules.after(
            .began(act, hadRecord: true),
            record(.confirmed, revision: theirs)
        ).record
        #expect(rules.after(carriedOff, setting).record != nil)
    }

    @Test("P-51: an account that has just shown that it has a passcode is not switched off")
    func shownPasscode() async throws {
        let key = SecretBytes(randomCount: 32)
        let candidate = try await FastPasscodeSealer().seal(key, under: .second, context: "")
        var off = record(.unconfirmed, revision: theirs)
        off.account?.isSwitchedOff = true
        var unknown = off
        unknown.credential = .account
        // An early status has dropped the act.
        let act = AccountShare.Act(kind: .reset, revision: mine, candidate: candidate, format: .digits(6))
        let events: [(PasscodeRecord, AccountRules.Event, AccountShare.Standing)] = [
            (off, .carriedOut(act, since: theirs), .unconfirmed),
            (unknown, .confirmed(.sealed(candidate), format: .digits(6), keepsKey: false), .confirmed),
        ]
        for (found, event, standing) in events {
            let after = rules.after(event, found).record
            #expect(after?.credential == .sealed(candidate))
            #expect(after?.account == AccountShare(standing: standing, revision: theirs))
            #expect(after?.isSet == true)
        }
    }

    @Test("P-51: an act that ended after something else came between makes the account be asked")
    func overtaken() {
        let act = AccountShare.Act(kind: .change, revision: mine, candidate: sealed, format: .digits(8))
        let elsewhere = record(.confirmed, revision: theirs)
        let after = rules.after(.carriedOut(act, since: .random()), elsewhere).record
        #expect(after?.account?.standing == .unconfirmed)
        #expect(asked(after) == .digits(6))
        let told = record(.confirmed, revision: mine)
        #expect(
            rules.after(.carriedOut(act, since: theirs), told).record == told,
            "the status told before"
        )
        #expect(rules.after(.failed(act), told).record == told, "not this record's act")
        var busy = told
        busy.account?.act = AccountShare.Act(
            kind: .change,
            revision: .random(),
            candidate: sealed,
            format: .digits(8)
        )
        #expect(rules.after(.failed(act), busy).record == busy, "another act is under way")
        busy.account?.act = act
        #expect(rules.after(.failed(act), busy).record == told)
        #expect(rules.after(.postponed(act, wasSent: true), told).record == told)
    }
}
