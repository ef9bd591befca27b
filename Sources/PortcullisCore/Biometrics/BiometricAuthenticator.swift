/// Asks a person for a fingerprint, a face or the like.
///
/// ## For callers
/// - Call ``availability(for:)`` before each prompt, because the availability changes while the app runs.
/// - Only one prompt is shown at a time. A second prompt ends the first one or waits for its end. Cancelling the
///   task removes the prompt, whose outcome is ``BiometricOutcome/cancelled(by:)`` with ``BiometricCanceller/app``.
/// - With the binding ``BiometricBinding/key`` a success returns the enrolled key. With
///   ``BiometricBinding/assertion`` the platform only states that it recognised the person. The success
///   proves nothing more.
///
/// ## For implementers
/// - An outcome is a value, never an error, because a refusal by the person or the platform is an ordinary
///   end. Only a match is a success.
/// - Biometrics can be unusable for three reasons: the hardware is not available, no finger or face is
///   enrolled, or too many failures caused a lock-out. The availability's state, the prompt's outcome and the
///   error of ``enroll(_:for:)`` each give the reason. During a lock-out ``enroll(_:for:)`` may still
///   succeed. A lock-out lasts until the person enters the passcode. A match resets the count of failures.
/// - A match makes only one prompt succeed. A prompt whose task was cancelled before the match does not
///   succeed.
/// - A prompt that another prompt replaces ends in ``BiometricOutcome/cancelled(by:)`` with
///   ``BiometricCanceller/system``.
/// - A call in a task that is already cancelled shows no prompt and ends no other prompt.
/// - ``availability(for:)`` returns a result even while a prompt is shown. The enrolment digest changes if a
///   finger or face is added or removed, and for no other reason.
/// - A key given to ``enroll(_:for:)`` is released only by a successful
///   ``authenticate(user:reason:fallbackTitle:hint:)`` of that user. The key is not released after the
///   enrolled fingers or faces have changed, even if they changed while the prompt was shown. A newly
///   enrolled key replaces the earlier one. With the binding ``BiometricBinding/key``, a prompt never ends in
///   success if there is no key to release.
/// - If ``enroll(_:for:)`` throws, the earlier key stays. ``forget(_:)`` throws if it could not delete the key.
/// - ``forget(_:)`` of a user who was never enrolled does nothing.
/// - Keys may outlive the authenticator instance that enrolled them, for example in a keychain. A later
///   instance follows these rules for such keys too.
/// - In a cancelled task, ``enroll(_:for:)`` and ``forget(_:)`` either take effect or throw.
/// - No error, message or description holds a key.
public protocol BiometricAuthenticator: Sendable {
    /// Returns the kind and state of biometrics for a user at this moment.
    func availability(for user: UserID) async -> BiometricAvailability

    /// Prepares biometrics for a user. With the binding ``BiometricBinding/key`` the authenticator keeps the key.
    ///
    /// - Parameters:
    ///   - key: the key that a success returns; an authenticator with the binding
    ///     ``BiometricBinding/assertion`` ignores it.
    ///   - user: the key's user.
    /// - Throws: ``BiometricError`` when biometrics are not available, no finger or face is enrolled, or
    ///   the key cannot be kept.
    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError)

    /// Shows the prompt and waits for its end.
    ///
    /// - Parameters:
    ///   - user: the user who is expected.
    ///   - reason: the reason that the prompt shows, such as "Unlock Ledger".
    ///   - fallbackTitle: the title of the button that chooses the passcode instead.
    ///   - hint: receives each instruction of the biometric reader while the prompt is shown. The
    ///     authenticator calls it from any thread and never after the outcome. The closure must not call the
    ///     authenticator. If the system draws the prompt, the closure is never called.
    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome

    /// Deletes the key and all other data that the authenticator keeps for a user.
    ///
    /// - Throws: ``BiometricError`` when the data could not be deleted.
    func forget(_ user: UserID) async throws(BiometricError)
}

extension BiometricAuthenticator {
    /// Shows the prompt and waits for its end. The reader's hints are ignored.
    public func authenticate(user: UserID, reason: String, fallbackTitle: String) async -> BiometricOutcome {
        await authenticate(user: user, reason: reason, fallbackTitle: fallbackTitle, hint: { _ in })
    }
}

/// An instruction of the biometric reader to the person. The app shows it in a prompt that it draws itself.
public struct BiometricHint: Hashable, Sendable, Codable {
    /// The hint's name.
    public let name: String

    /// Makes a hint with this name. A screen that does not know the name shows no hint.
    public init(_ name: String) { self.name = name }

    /// The person should touch the fingerprint reader or the security key.
    public static let touch = Self("touch")
    /// The person should draw the finger over the reader.
    public static let swipe = Self("swipe")
    /// The finger or face was not recognised, and the person should try again.
    public static let tryAgain = Self("tryAgain")
    /// The touch or swipe was too short.
    public static let tooShort = Self("tooShort")
    /// The finger is not in the middle of the reader.
    public static let centre = Self("centre")
    /// The person should lift the finger and put it on again.
    public static let removeAndRetry = Self("removeAndRetry")
    /// The person should look at the camera.
    public static let look = Self("look")
    /// The person should insert the security key.
    public static let insertKey = Self("insertKey")
}

/// A kind of biometrics, such as a fingerprint reader.
public struct BiometricKind: Hashable, Sendable, Codable {
    /// The name that people know, such as "Touch ID".
    public let displayName: String
    /// The name of the symbol for this kind.
    public let symbolName: String

    /// Makes a kind with this name and symbol.
    public init(displayName: String, symbolName: String) {
        self.displayName = displayName
        self.symbolName = symbolName
    }

    /// No biometrics. The name is "Biometric" and the symbol is `lock`.
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

/// Whether a prompt can be shown now.
public enum BiometricState: Hashable, Sendable {
    /// A prompt can be shown.
    case available
    /// The hardware is missing or switched off.
    case notAvailable
    /// No finger or face is enrolled.
    case notEnrolled
    /// There were too many failures. The person has to enter the passcode first.
    case lockedOut
}

/// The meaning of a prompt's success.
public enum BiometricBinding: Hashable, Sendable {
    /// The success releases the enrolled key.
    case key
    /// The success releases no key. The platform only states that it recognised the person.
    case assertion
}

/// The kind and state of biometrics at an instant.
public struct BiometricAvailability: Hashable, Sendable {
    /// The kind of biometrics.
    public var kind: BiometricKind
    /// Whether a prompt can be shown.
    public var state: BiometricState
    /// An opaque digest of the enrolled fingers and faces. It stays equal as long as no finger or face is added
    /// or removed.
    ///
    /// The value is `nil` when the digest is unknown. The passcode lock then does not offer biometrics,
    /// because the lock could not notice a stranger's finger. An authenticator that can never see such a
    /// change returns a fixed digest, and its documentation says so.
    public var enrolmentDigest: [UInt8]?
    /// The meaning of a prompt's success.
    public var binding: BiometricBinding
    /// Whether ``BiometricAuthenticator/enroll(_:for:)`` asks the person for something, such as a touch or a
    /// new passkey. If so, the passcode lock calls the method only when the person switches biometrics on.
    public var asksToEnroll: Bool

    /// Makes an availability from these parts.
    public init(
        kind: BiometricKind,
        state: BiometricState,
        enrolmentDigest: [UInt8]?,
        binding: BiometricBinding,
        asksToEnroll: Bool = false
    ) {
        self.kind = kind
        self.state = state
        self.enrolmentDigest = enrolmentDigest
        self.binding = binding
        self.asksToEnroll = asksToEnroll
    }

    /// No biometrics at all.
    public static let none = BiometricAvailability(
        kind: .none,
        state: .notAvailable,
        enrolmentDigest: nil,
        binding: .assertion
    )
}

/// The party that cancelled a prompt.
public enum BiometricCanceller: Hashable, Sendable {
    /// The person ended the prompt.
    case user
    /// The app cancelled the task of the prompt.
    case app
    /// The system ended the prompt, for instance because another app came to the front.
    case system
}

/// The outcome of a prompt.
public enum BiometricOutcome: Sendable {
    /// The person was recognised. `key` is the enrolled key if the binding is ``BiometricBinding/key``,
    /// otherwise `nil`.
    case success(key: SecretBytes?)
    /// The person chose the passcode instead.
    case passcodeChosen
    /// The prompt was removed before it had a result.
    case cancelled(by: BiometricCanceller)
    /// The person was not recognised. The message is the platform's, or ``defaultFailureMessage``.
    case failed(message: String)
    /// Biometrics are not available now.
    case notAvailable
    /// No finger or face is enrolled.
    case notEnrolled
    /// There were too many failures. The person has to enter the passcode first.
    case lockedOut

    /// The failure message that is used if the platform gives none.
    public static let defaultFailureMessage = "Authentication failed"
}

/// Why a ``BiometricAuthenticator`` could not keep or delete a key.
public typealias BiometricError = CodedError<BiometricErrorCode>

/// The codes of a ``BiometricError``. An adapter can add its own.
public struct BiometricErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The hardware is missing or switched off.
    public static let notAvailable = Self("notAvailable")
    /// No finger or face is enrolled.
    public static let notEnrolled = Self("notEnrolled")
    /// There were too many failures. The person has to enter the passcode first.
    public static let lockedOut = Self("lockedOut")
    /// The enrolled fingers or faces have changed since biometrics were switched on.
    public static let enrolmentChanged = Self("enrolmentChanged")
    /// The platform failed. The message has the details.
    public static let systemFailure = Self("systemFailure")
}
