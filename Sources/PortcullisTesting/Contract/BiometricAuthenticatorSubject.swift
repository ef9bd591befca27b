public import PortcullisCore

/// A ``/PortcullisCore/BiometricAuthenticator`` to be checked against ``BiometricAuthenticatorContract``. The
/// subject's function makes an authenticator, together with functions that cause events at its prompts.
public struct BiometricAuthenticatorSubject: Sendable {
    /// An event at a prompt that is shown.
    public enum PromptEvent: String, Hashable, Sendable, CaseIterable {
        /// The enrolled person uses the reader, and the reader reports a match.
        case match = "a match"
        /// Another person tries until the prompt ends. Together these tries count as one failure.
        case noMatch = "a failure"
        /// The person cancels the prompt.
        case userCancels = "a prompt that the person takes away"
        /// The system cancels the prompt.
        case systemCancels = "a prompt that the system takes away"
        /// The person chooses the passcode.
        case choosesPasscode = "a person who chooses the passcode"
    }

    /// A prompt as the person sees it.
    public struct Prompt: Hashable, Sendable {
        /// The reason that the prompt shows.
        public var reason: String
        /// The title of the button that chooses the passcode; `nil` if the test cannot read it.
        public var fallbackTitle: String?

        /// Makes a prompt with these texts.
        public init(reason: String, fallbackTitle: String?) {
            self.reason = reason
            self.fallbackTitle = fallbackTitle
        }
    }

    /// The biometric reader, such as a fingerprint sensor or a camera. Its functions let a test act as the
    /// person.
    public struct Reader: Sendable {
        /// The prompt that is shown now; `nil` when there is none.
        public var prompt: @Sendable () async throws -> Prompt?
        /// Causes an event at the prompt that is shown. Without a prompt nothing happens.
        public var present: @Sendable (PromptEvent) async throws -> Void
        /// The events that ``present`` can cause. Clauses that need another event do not apply.
        public var events: Set<PromptEvent>
        /// Makes the reader give the person a hint at the prompt that is shown; `nil` if the reader gives no
        /// hints, or if a test cannot cause a hint.
        public var give: (@Sendable (BiometricHint) async throws -> Void)?
        /// The number of failures in a row after which biometrics are locked out; `nil` if the reader has no
        /// lock-out, or if a test must not cause a lock-out.
        public var failuresToLockOut: Int?

        /// Makes a reader with these functions.
        public init(
            prompt: @escaping @Sendable () async throws -> Prompt?,
            present: @escaping @Sendable (PromptEvent) async throws -> Void,
            events: Set<PromptEvent> = Set(PromptEvent.allCases),
            give: (@Sendable (BiometricHint) async throws -> Void)? = nil,
            failuresToLockOut: Int? = nil
        ) {
            self.prompt = prompt
            self.present = present
            self.events = events
            self.give = give
            self.failuresToLockOut = failuresToLockOut
        }
    }

    /// A new authenticator, with functions that change its surroundings. If the platform does not offer a
    /// function, the function is `nil`, and the clauses that need it do not apply.
    public struct Place: Sendable {
        /// The authenticator, with a finger or face enrolled, no prompt shown and no key kept.
        public var authenticator: any BiometricAuthenticator
        /// The reader, which causes events at the authenticator's prompts; `nil` if a test cannot act as the
        /// person.
        public var reader: Reader?
        /// Switches the hardware, or the permission to use it, on (`true`) or off (`false`).
        public var setSwitchedOn: (@Sendable (Bool) async throws -> Void)?
        /// Enrolls another finger or face.
        public var changeEnrolment: (@Sendable () async throws -> Void)?
        /// Removes all enrolled fingers and faces.
        public var clearEnrolment: (@Sendable () async throws -> Void)?
        /// Enters the device's passcode, which ends a lock-out.
        public var enterPasscode: (@Sendable () async throws -> Void)?
        /// Lets time pass for the authenticator, without real waiting.
        public var letPass: (@Sendable (Duration) async throws -> Void)?
        /// Causes a failure of the next call that keeps or deletes a key.
        public var failNext: (@Sendable () async throws -> Void)?
        /// Drops the authenticator and makes a new one over the same keys, as the next start of the app does.
        /// The reader then shows the prompts of the new authenticator. The function is `nil` if no key
        /// outlives an authenticator.
        public var reopen: (@Sendable () async throws -> any BiometricAuthenticator)?

        /// Makes a place with this authenticator and these functions.
        public init(
            authenticator: any BiometricAuthenticator,
            reader: Reader? = nil,
            setSwitchedOn: (@Sendable (Bool) async throws -> Void)? = nil,
            changeEnrolment: (@Sendable () async throws -> Void)? = nil,
            clearEnrolment: (@Sendable () async throws -> Void)? = nil,
            enterPasscode: (@Sendable () async throws -> Void)? = nil,
            letPass: (@Sendable (Duration) async throws -> Void)? = nil,
            failNext: (@Sendable () async throws -> Void)? = nil,
            reopen: (@Sendable () async throws -> any BiometricAuthenticator)? = nil
        ) {
            self.authenticator = authenticator
            self.reader = reader
            self.setSwitchedOn = setSwitchedOn
            self.changeEnrolment = changeEnrolment
            self.clearEnrolment = clearEnrolment
            self.enterPasscode = enterPasscode
            self.letPass = letPass
            self.failNext = failNext
            self.reopen = reopen
        }
    }

    let patience: Duration
    let makePlace: @Sendable () async throws -> Place

    /// Makes a subject.
    ///
    /// - Parameters:
    ///   - patience: how long a clause waits, in real time, until a prompt is shown or ends. After this time
    ///     the prompt counts as stuck. Choose a long time, because prompts can be late on a busy machine.
    ///   - makePlace: makes a new authenticator for each clause.
    public init(
        patience: Duration = .seconds(60),
        _ makePlace: @escaping @Sendable () async throws -> Place
    ) {
        self.patience = patience
        self.makePlace = makePlace
    }
}
