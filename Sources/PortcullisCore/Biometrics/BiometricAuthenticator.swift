/// Asks a person for a fingerprint, a face or the like.
///
/// ## For callers
/// - Ask for ``availability(for:)`` each time; it changes while the app runs.
/// - One prompt at a time; a second one ends the first, or waits for it. Cancelling the task takes the prompt away and
///   ends in ``BiometricOutcome/cancelled(by:)`` with ``BiometricCanceller/app``.
/// - Only a binding of ``BiometricBinding/key`` proves more than the platform's word: the key comes back on
///   success. ``BiometricBinding/assertion`` says yes and nothing else.
///
/// ## For implementers
/// - The outcome is an answer, never an error: what the person or the platform did is an ordinary end, and nothing but
///   a match is a success.
/// - While biometrics cannot be used, the state, a prompt and ``enroll(_:for:)`` each say why: not available,
///   no finger or face enrolled, or locked out. While locked out, ``enroll(_:for:)`` may succeed all the
///   same. A lock-out lasts until the passcode was entered. A match starts the count of failures anew.
/// - A match ends one prompt in success. It never ends a prompt whose task was cancelled before the match.
/// - A prompt that gives way to another ends in ``BiometricOutcome/cancelled(by:)`` with ``BiometricCanceller/system``.
/// - A task that was cancelled before it asks gets no prompt, and no other prompt gives way to it.
/// - ``availability(for:)`` answers while a prompt is up. The digest changes when a finger or face comes or goes, and only
///   then.
/// - A key given to ``enroll(_:for:)`` is released only by a successful
///   ``authenticate(user:reason:fallbackTitle:hint:)`` of that user. It is not released once the enrolled fingers
///   or faces have changed, even if that was while the prompt was up. Without a key to release, a binding of
///   ``BiometricBinding/key`` has no success. A key given anew takes the place of the earlier one.
/// - An ``enroll(_:for:)`` that throws leaves what was kept; a ``forget(_:)`` that could not drop the key throws.
/// - ``forget(_:)`` of a user who was never enrolled does nothing.
/// - Where keys outlive the authenticator, as in a keychain, one that is made anew keeps all of this for them.
/// - A cancelled task's ``enroll(_:for:)`` or ``forget(_:)`` either takes effect or throws.
/// - No error, message or description tells a key.
public protocol BiometricAuthenticator: Sendable {
    /// What could be asked for now, for this user.
    func availability(for user: UserID) async -> BiometricAvailability

    /// Prepares biometrics for a user, and keeps the key where the binding is ``BiometricBinding/key``.
    ///
    /// - Parameters:
    ///   - key: the key to give back on success; ignored by an authenticator that only asserts.
    ///   - user: whose.
    /// - Throws: ``BiometricError`` when it is not available, no finger or face is enrolled, or the key
    ///   cannot be kept.
    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError)

    /// Shows the prompt and waits for its end.
    ///
    /// - Parameters:
    ///   - user: who should be there.
    ///   - reason: why, shown in the prompt, such as "Unlock Ledger".
    ///   - fallbackTitle: the button that chooses the passcode instead.
    ///   - hint: is told what the reader asks the person to do while the prompt is up; called from any thread, and never
    ///     after the outcome. It does not call the authenticator. An authenticator whose prompt is drawn by the system tells none.
    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome

    /// Drops what was kept for a user.
    ///
    /// - Throws: ``BiometricError`` when it could not be dropped.
    func forget(_ user: UserID) async throws(BiometricError)
}

extension BiometricAuthenticator {
    /// Shows the prompt and waits for its end, without a place to show the reader's hints in.
    public func authenticate(user: UserID, reason: String, fallbackTitle: String) async -> BiometricOutcome {
        await authenticate(user: user, reason: reason, fallbackTitle: fallbackTitle, hint: { _ in })
    }
}

/// What a reader asks the person to do while a prompt is up that the system does not draw.
public struct BiometricHint: Hashable, Sendable, Codable {
    /// The hint's name.
    public let name: String

    /// A hint of this name; a screen that does not know it shows none.
    public init(_ name: String) { self.name = name }

    /// Touch the reader or the key.
    public static let touch = Self("touch")
    /// Draw the finger over the reader.
    public static let swipe = Self("swipe")
    /// It was not recognised: try again.
    public static let tryAgain = Self("tryAgain")
    /// The touch or swipe was too short.
    public static let tooShort = Self("tooShort")
    /// The finger is not in the middle of the reader.
    public static let centre = Self("centre")
    /// Take the finger away and put it on again.
    public static let removeAndRetry = Self("removeAndRetry")
    /// Look at the camera.
    public static let look = Self("look")
    /// Insert the security key.
    public static let insertKey = Self("insertKey")
}

/// What kind of biometrics there is.
public struct BiometricKind: Hashable, Sendable, Codable {
    /// What the person calls it, such as "Touch ID".
    public let displayName: String
    /// The symbol that stands for it.
    public let symbolName: String

    /// A kind with a name and symbol of its own.
    public init(displayName: String, symbolName: String) {
        self.displayName = displayName
        self.symbolName = symbolName
    }

    /// Nothing: "Biometric", `lock`.
    public static let none = BiometricKind(displayName: "Biometric", symbolName: "lock")
    /// A fingerprint reader without a brand.
    public static let fingerprint = BiometricKind(displayName: "Fingerprint", symbolName: "touchid")
    /// A face camera without a brand.
    public static let face = BiometricKind(displayName: "Face", symbolName: "faceid")
    /// Apple's fingerprint reader.
    public static let touchID = BiometricKind(displayName: "Touch ID", symbolName: "touchid")
    /// Apple's face camera.
    public static let faceID = BiometricKind(displayName: "Face ID", symbolName: "faceid")
}

/// Whether a prompt could be shown now.
public enum BiometricState: Hashable, Sendable {
    /// Yes.
    case available
    /// There is no such hardware, or it is switched off.
    case notAvailable
    /// No finger or face is enrolled.
    case notEnrolled
    /// Too many failures: the passcode is needed first.
    case lockedOut
}

/// What a success proves.
public enum BiometricBinding: Hashable, Sendable {
    /// It releases the key that was enrolled.
    case key
    /// It is the platform's word only.
    case assertion
}

/// What a ``BiometricAuthenticator`` can do at an instant.
public struct BiometricAvailability: Hashable, Sendable {
    /// The kind there is.
    public var kind: BiometricKind
    /// Whether it can be used.
    public var state: BiometricState
    /// An opaque digest of the enrolled fingers and faces, equal as long as none was added or removed; `nil`:
    /// unknown.
    public var enrolmentDigest: [UInt8]?
    /// What a success proves.
    public var binding: BiometricBinding

    /// An availability of these parts.
    public init(
        kind: BiometricKind,
        state: BiometricState,
        enrolmentDigest: [UInt8]?,
        binding: BiometricBinding
    ) {
        self.kind = kind
        self.state = state
        self.enrolmentDigest = enrolmentDigest
        self.binding = binding
    }

    /// No biometrics at all.
    public static let none = BiometricAvailability(
        kind: .none,
        state: .notAvailable,
        enrolmentDigest: nil,
        binding: .assertion
    )
}

/// Who ended a prompt.
public enum BiometricCanceller: Hashable, Sendable {
    /// The person.
    case user
    /// The app: its task was cancelled.
    case app
    /// The system, for instance because another app came to the front.
    case system
}

/// How a prompt ended.
public enum BiometricOutcome: Sendable {
    /// It is the person; the key comes along where the binding is ``BiometricBinding/key``.
    case success(key: SecretBytes?)
    /// The person chose the passcode instead.
    case passcodeChosen
    /// The prompt was taken away.
    case cancelled(by: BiometricCanceller)
    /// It is not the person; the platform's message, or "Authentication failed".
    case failed(message: String)
    /// There are no biometrics now.
    case notAvailable
    /// No finger or face is enrolled.
    case notEnrolled
    /// Too many failures: the passcode is needed first.
    case lockedOut

    /// The message where the platform gives none.
    public static let defaultFailureMessage = "Authentication failed"
}

/// Why a ``BiometricAuthenticator`` could not keep or drop a key.
public typealias BiometricError = CodedError<BiometricErrorCode>

/// The kinds of a ``BiometricError``, open for more.
public struct BiometricErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// There is no such hardware, or it is switched off.
    public static let notAvailable = Self("notAvailable")
    /// No finger or face is enrolled.
    public static let notEnrolled = Self("notEnrolled")
    /// Too many failures: the passcode is needed first.
    public static let lockedOut = Self("lockedOut")
    /// The enrolled fingers or faces are not those the choice was made with.
    public static let enrolmentChanged = Self("enrolmentChanged")
    /// The platform failed; the message says how.
    public static let systemFailure = Self("systemFailure")
}
