public import PortcullisCore

/// An account to be checked against ``PasscodeAccountContract``. The subject's function makes an account,
/// together with functions that change the account's surroundings.
public struct PasscodeAccountSubject: Sendable {
    /// The passcodes that the clauses use, all different.
    public struct Passcodes: Sendable {
        /// The passcode that is set first.
        public var first: SecretBytes
        /// The passcode that a change sets in place of ``first``.
        public var second: SecretBytes
        /// A passcode that is never set.
        public var wrong: SecretBytes
        /// A passcode whose format the account does not accept.
        public var malformed: SecretBytes

        /// Makes passcodes with these values. By default `first`, `second` and `wrong` have six digits.
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

    /// A fault of the connection between an adapter and its server.
    public enum Fault: Hashable, Sendable {
        /// No request reaches the server from now on.
        case cut
        /// The next request is carried out. Its reply is lost, or is not a valid reply when it arrives.
        case loseAnswer
        /// The server answers the next request with a failure (HTTP 5xx) and does not carry it out.
        case fail
    }

    /// A new account without a passcode, with functions by which a clause controls the server, the connection
    /// and the mail. If the server does not offer a function, the function is `nil`, and the clauses that
    /// need it do not apply.
    public struct Place: Sendable {
        /// The account on one device, signed in.
        public var account: any PasscodeAccount
        /// The same person's account on another device.
        public var other: (any PasscodeAccount)?
        /// The passcodes that the clauses use.
        public var passcodes: Passcodes
        /// Waits until the mail has come, and returns the code that was mailed last.
        public var mailedCode: (@Sendable () async throws -> SecretBytes)?
        /// Lets time pass on the server.
        public var advance: (@Sendable (Duration) async throws -> Void)?
        /// Causes a fault of the connection that ``account`` uses.
        public var inflict: (@Sendable (Fault) async throws -> Void)?
        /// Ends the session of ``account``, as another device does.
        public var endSession: (@Sendable () async throws -> Void)?
        /// Switches passcodes off, as an administrator does.
        public var disable: (@Sendable () async throws -> Void)?

        /// Makes a place with these accounts, passcodes and functions.
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

    /// Makes a subject.
    ///
    /// - Parameter makePlace: makes a new person's account for each clause.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
