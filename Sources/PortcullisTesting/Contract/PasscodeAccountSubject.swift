public import PortcullisCore

/// What a ``PasscodeAccountContract`` looks at: accounts to be had, and the ways to look behind them.
public struct PasscodeAccountSubject: Sendable {
    /// Passcodes that the account takes, all different.
    public struct Passcodes: Sendable {
        /// The one that is set.
        public var first: SecretBytes
        /// Another one.
        public var second: SecretBytes
        /// One that is never set.
        public var wrong: SecretBytes
        /// One that the account does not take, for its format.
        public var malformed: SecretBytes

        /// Passcodes of these parts; six digits unless told otherwise.
        public init(
            first: SecretBytes = SecretBytes(copying: "834912".utf8),
            second: SecretBytes = SecretBytes(copying: "270954".utf8),
            wrong: SecretBytes = SecretBytes(copying: "619375".utf8),
            malformed: SecretBytes = SecretBytes(copying: "123".utf8)
        ) {
            self.first = first
            self.second = second
            self.wrong = wrong
            self.malformed = malformed
        }
    }

    /// What can be done to the line between an adapter and its server.
    public enum Fault: Hashable, Sendable {
        /// From now on nothing reaches the server.
        case cut
        /// The next request is carried out, and its answer gets lost, or arrives as something that is none.
        case loseAnswer
        /// The next request is answered with a failure (5xx) and not carried out.
        case fail
    }

    /// A person's account without a passcode; a way that a server does not have is `nil`, and the clauses that need it
    /// do not apply.
    public struct Place: Sendable {
        /// One device's account, signed in.
        public var account: any PasscodeAccount
        /// Another device's, of the same person.
        public var other: (any PasscodeAccount)?
        /// What the clauses use.
        public var passcodes: Passcodes
        /// Reads the code that was mailed last; waits for it where mail takes a while.
        public var mailedCode: (@Sendable () async throws -> SecretBytes)?
        /// Lets time pass on the server.
        public var advance: (@Sendable (Duration) async throws -> Void)?
        /// Does something to the line of ``account``.
        public var inflict: (@Sendable (Fault) async throws -> Void)?
        /// Ends the session of ``account`` elsewhere.
        public var endSession: (@Sendable () async throws -> Void)?
        /// Has an administrator switch passcodes off.
        public var disable: (@Sendable () async throws -> Void)?

        /// A place of these parts.
        public init(
            account: any PasscodeAccount,
            other: (any PasscodeAccount)? = nil,
            passcodes: Passcodes = Passcodes(),
            mailedCode: (@Sendable () async throws -> SecretBytes)? = nil,
            advance: (@Sendable (Duration) async throws -> Void)? = nil,
            inflict: (@Sendable (Fault) async throws -> Void)? = nil,
            endSession: (@Sendable () async throws -> Void)? = nil,
            disable: (@Sendable () async throws -> Void)? = nil
        ) {
            self.account = account
            self.other = other
            self.passcodes = passcodes
            self.mailedCode = mailedCode
            self.advance = advance
            self.inflict = inflict
            self.endSession = endSession
            self.disable = disable
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// An account to be checked.
    ///
    /// - Parameter makePlace: makes a fresh person's; each clause has one of its own.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
