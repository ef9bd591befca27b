#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import PortcullisCore

/// All passcode data of a user: one item in the store, changed as a whole (P-3).
///
/// It holds nothing that is secret by itself; the store seals it all the same. The layout has a version, and an
/// unknown one is an error, never "no passcode".
struct PasscodeRecord: Sendable, Hashable, Codable {
    /// What a passcode is checked against.
    enum Credential: Sendable, Hashable, Codable {
        /// A key sealed under the passcode.
        case sealed(SealedKey)
        /// The hash of another app, until it has verified once.
        case legacy(LegacyPasscodeHash)
        /// Nothing on this device: the account has to be asked.
        case account
        /// Nothing at all: the first passcode is only being sent to the account.
        case none
    }

    /// The choice of biometrics, with who was enrolled when it was made.
    struct Biometrics: Sendable, Hashable, Codable {
        var enrolmentDigest: [UInt8]?
    }

    static let currentVersion = 2

    /// 2 with what an account adds, 1 without, so that an earlier version still reads what it can understand.
    private(set) var version = 1
    var credential: Credential
    var format: PasscodeFormat
    var isEnabled = true
    var policy: ThrottlePolicy
    var throttle = Throttle()
    var biometrics: Biometrics?
    var timeout: LockTimeout
    var lock = LockMark()
    var account: AccountShare? {
        didSet { version = account == nil ? 1 : 2 }
    }

    init(
        credential: Credential,
        format: PasscodeFormat,
        policy: ThrottlePolicy,
        timeout: LockTimeout
    ) {
        self.credential = credential
        self.format = format
        self.policy = policy
        self.timeout = timeout
    }
}

/// What outlives the process of a lock's state.
public struct LockMark: Sendable, Hashable, Codable {
    /// Whether the app was locked.
    public var isLocked: Bool
    /// Since when the app was in the background; `nil` while it was active.
    public var backgroundSince: Moment?

    /// A mark of these parts.
    public init(isLocked: Bool = false, backgroundSince: Moment? = nil) {
        self.isLocked = isLocked
        self.backgroundSince = backgroundSince
    }
}

extension PasscodeRecord {
    private struct VersionOnly: Codable { var version: Int }

    /// Reads a record as the store had it.
    init(decoding value: SecretBytes) throws(PasscodeError) {
        let data = value.withBytes { bytes in unsafe bytes.withUnsafeBytes { buffer in unsafe Data(buffer) } }
        let decoder = JSONDecoder()
        do {
            let version = try decoder.decode(VersionOnly.self, from: data).version
            guard version <= Self.currentVersion else {
                throw PasscodeError(code: .newerRecord, message: "the passcode was set by a newer version")
            }
            self = try decoder.decode(PasscodeRecord.self, from: data)
        } catch let error as PasscodeError {
            throw error
        } catch {
            throw PasscodeError(
                code: .damagedRecord,
                message: "the passcode's record cannot be understood; log out to start anew"
            )
        }
        guard isSane else {
            throw PasscodeError(
                code: .damagedRecord,
                message: "the passcode's record holds impossible values"
            )
        }
    }

    /// Whether every number is one that this library could have written. The code that uses the numbers
    /// relies on it, and must not trap on a forged record.
    private var isSane: Bool {
        let century = Duration.zero...Duration.seconds(100 * 365 * 86_400)
        func isSane(_ moment: Moment?) -> Bool {
            guard let moment else { return true }
            // Wide enough for any wrongly set clock: once the clock is put right, the record must still be
            // valid.
            let anyDate = Duration.seconds(-400_000_000_000)...Duration.seconds(400_000_000_000)
            return anyDate.contains(moment.wall) && century.contains(moment.sinceBoot)
        }
        if case .after(let limit) = timeout, !century.contains(limit) { return false }
        return format.isValid && policy.delays.allSatisfy(century.contains)
            && policy.limit?.failures ?? 1 >= 1
            && (0...1_000_000_000).contains(throttle.failures)
            && century.contains(throttle.delay?.left ?? .zero)
            && isSane(throttle.delay?.noted) && isSane(lock.backgroundSince)
            && account?.isSane ?? true && isAccountPlausible
    }

    /// Whether a credential that waits for an account has one to wait for.
    private var isAccountPlausible: Bool {
        switch credential {
        case .sealed, .legacy: true
        case .account: account?.standing == .unconfirmed
        case .none: account?.act?.candidate != nil
        }
    }

    /// The record as the store keeps it.
    func encoded() throws(PasscodeError) -> SecretBytes {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return SecretBytes(copying: try encoder.encode(self))
        } catch {
            throw PasscodeError(code: .damagedRecord, message: "the passcode's record cannot be written")
        }
    }
}
