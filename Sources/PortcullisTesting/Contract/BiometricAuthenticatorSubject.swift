public import PortcullisCore

/// A ``/PortcullisCore/BiometricAuthenticator`` to be checked against ``BiometricAuthenticatorContract``, with the ways
/// to let things happen at its prompts and to look behind it.
public struct BiometricAuthenticatorSubject: Sendable {
    /// What can happen at a prompt that is up.
    public enum PromptEvent: String, Hashable, Sendable, CaseIterable {
        /// The enrolled person shows up.
        case match = "a match"
        /// Another person shows up, as often as it takes for the prompt to end; it counts as one failure.
        case noMatch = "a failure"
        /// The person takes the prompt away.
        case userCancels = "a prompt that the person takes away"
        /// The system takes the prompt away.
        case systemCancels = "a prompt that the system takes away"
        /// The person chooses the passcode.
        case choosesPasscode = "a person who chooses the passcode"
    }

    /// A prompt as the person sees it.
    public struct Prompt: Hashable, Sendable {
        /// Why it is up.
        public var reason: String
        /// The button that chooses the passcode; `nil` where it cannot be looked at.
        public var fallbackTitle: String?

        /// A prompt with these texts.
        public init(reason: String, fallbackTitle: String?) {
            self.reason = reason
            self.fallbackTitle = fallbackTitle
        }
    }

    /// The reader, seen from where the person stands.
    public struct Reader: Sendable {
        /// The prompt that is up now; `nil` when there is none.
        public var prompt: @Sendable () async throws -> Prompt?
        /// Lets something happen at the prompt that is up; nothing happens where none is.
        public var present: @Sendable (PromptEvent) async throws -> Void
        /// What ``present`` can bring about; the clauses that need another do not apply.
        public var events: Set<PromptEvent>
        /// Lets the reader ask the person for something at the prompt that is up; `nil` where its prompt tells no hints, or
        /// a test cannot bring them about.
        public var give: (@Sendable (BiometricHint) async throws -> Void)?
        /// After how many failures in a row it locks out; `nil`: it does not, or must not in a test.
        public var failuresToLockOut: Int?

        /// A reader with these ways.
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

    /// A fresh authenticator with the ways to look behind it; a way that a platform does not have is `nil`, and the
    /// clauses that need it do not apply.
    public struct Place: Sendable {
        /// The authenticator, with a finger or face enrolled, no prompt up and no key kept.
        public var authenticator: any BiometricAuthenticator
        /// What happens at its prompts; `nil` where a test cannot stand in for a person.
        public var reader: Reader?
        /// Switches the hardware, or the right to use it, off and on.
        public var setSwitchedOn: (@Sendable (Bool) async throws -> Void)?
        /// Adds a finger or a face to those that are enrolled.
        public var changeEnrolment: (@Sendable () async throws -> Void)?
        /// Takes all fingers and faces away.
        public var clearEnrolment: (@Sendable () async throws -> Void)?
        /// Ends a lock-out as the platform does: the person enters the device's passcode.
        public var enterPasscode: (@Sendable () async throws -> Void)?
        /// Lets time go by for the authenticator; the test does not wait for it.
        public var letPass: (@Sendable (Duration) async throws -> Void)?
        /// Lets the next call that keeps or drops a key fail.
        public var failNext: (@Sendable () async throws -> Void)?
        /// Lets the authenticator go and makes another one over what it kept, as the next start of the app does; the
        /// reader shows that one's prompts from then on. `nil` also where it keeps nothing beyond its life.
        public var reopen: (@Sendable () async throws -> any BiometricAuthenticator)?

        /// A place of these parts.
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

    /// An authenticator to be checked.
    ///
    /// - Parameters:
    ///   - patience: how long, in real time, to wait for a prompt to come or to end before it counts as stuck. It
    ///     passes only where something is stuck, or a busy machine lets it be late.
    ///   - makePlace: makes a fresh authenticator; each clause has one of its own.
    public init(
        patience: Duration = .seconds(60),
        _ makePlace: @escaping @Sendable () async throws -> Place
    ) {
        self.patience = patience
        self.makePlace = makePlace
    }
}
