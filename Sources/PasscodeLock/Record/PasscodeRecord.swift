#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import PortcullisCore

/// All passcode data of a user. It is one item in the store and is changed as a whole (P-3).
///
/// Nothing in the record is secret by itself, but a store may encrypt it anyway. The layout has a version. An
/// unknown version is an error and never counts as "no passcode".
struct PasscodeRecord: Sendable, Hashable, Codable {
    /// The value against which a passcode is checked.
    enum Credential: Sendable, Hashable, Codable {
        /// A key sealed under the passcode.
        case sealed(SealedKey)
        /// A passcode hash of another app. When an entered passcode matches the hash for the first time, a
        /// sealed key replaces the hash.
        case legacy(LegacyPasscodeHash)
        /// This device has no credential. The account checks the passcode.
        case account
        /// There is no credential yet: the first passcode is being sent to the account.
        case none
    }

    /// The choice to unlock with biometrics, and a digest of the enrolled fingers or faces that this choice
    /// accepts.
    struct Biometrics: Sendable, Hashable, Codable {
        var enrolmentDigest: [UInt8]?
    }

    static let currentVersion = 2

    /// The version of the layout: 2 for a record with an account, 1 without one. So an earlier version of the
    /// library, which reads only layout 1, can still read the records without an account.
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

/// The part of a lock's state that is stored and so outlives the process.
public struct LockMark: Sendable, Hashable, Codable {
    /// Whether the app was locked.
    public var isLocked: Bool
    /// The moment at which the app went to the background; `nil` once the app is active again.
    public var backgroundSince: Moment?

    /// Makes a mark.
    public init(isLocked: Bool = false, backgroundSince: Moment? = nil) {
        self.isLocked = isLocked
        self.backgroundSince = backgroundSince
    }
}

extension PasscodeRecord {
    private struct VersionOnly: Codable { var version: Int }

    /// Decodes a record from the store's bytes.
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

    static let outOfRange = PasscodeError(
        code: .invalidConfiguration,
        message: "a timeout or delay is negative, or longer than 100 years"
    )

    /// Whether every number is in the range that this library writes. A forged record could hold other
    /// numbers, and a computation with such a number could trap.
    private var isSane: Bool {
        let century = Duration.zero...LockTimeout.longest
        func isSane(_ moment: Moment?) -> Bool {
            guard let moment else { return true }
            // The range includes the dates of wrongly set clocks. After the clock is corrected, the record
            // must still be valid.
            let anyDate = Duration.seconds(-400_000_000_000)...Duration.seconds(400_000_000_000)
            return anyDate.contains(moment.wall) && century.contains(moment.sinceBoot)
        }
        return timeout.isValid && format.isValid && policy.delays.allSatisfy(century.contains)
            && policy.limit?.failures ?? 1 >= 1
            && (0...1_000_000_000).contains(throttle.failures)
            && century.contains(throttle.delay?.left ?? .zero)
            && isSane(throttle.delay?.noted) && isSane(throttle.lastTry) && isSane(lock.backgroundSince)
            && account?.isSane ?? true && isAccountPlausible
    }

    /// Whether the record has the account's data that its kind of credential needs.
    private var isAccountPlausible: Bool {
        switch credential {
        case .sealed, .legacy: true
        case .account: account?.standing == .unconfirmed
        case .none: account?.act?.candidate != nil
        }
    }

    /// Encodes the record for the store.
    ///
    /// - Throws: ``PasscodeErrorCode/invalidConfiguration`` if a number is out of its range, such as a
    ///   timeout of more than ``LockTimeout/longest``. Such a record could not be read again.
    func encoded() throws(PasscodeError) -> SecretBytes {
        guard isSane else { throw Self.outOfRange }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return SecretBytes(copying: try encoder.encode(self))
        } catch {
            throw PasscodeError(code: .damagedRecord, message: "the passcode's record cannot be written")
        }
    }
}
