public import PortcullisCore

/// The rules that every ``/PortcullisCore/KeyProtector`` must keep, as a list of clauses.
public enum KeyProtectorContract: String, ContractClause {
    /// A protected key is released unchanged, any number of times.
    case releases = "KP-01"
    /// Protecting one key twice gives two different results, and neither result contains the key.
    case fresh = "KP-02"
    /// Another instance on the same hardware releases the key.
    case another = "KP-03"
    /// An altered or shortened protected key releases nothing.
    case altered = "KP-04"
    /// Bytes that no protector made are reported as damaged.
    case strangers = "KP-05"
    /// A protector on other hardware does not release the key. It throws the error `wrongKey`.
    case otherHardware = "KP-06"
    /// If many tasks call at once, each task gets its own key.
    case concurrentCalls = "KP-07"
    /// Missing hardware is reported as unavailable. When the hardware is back, the protector works again.
    case missing = "KP-08"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .releases: "a protected key is released unchanged, any number of times"
        case .fresh: "two protections of one key have different bytes, and neither shows the key"
        case .another:
            "a key that one instance protected is released by another instance on the same hardware"
        case .altered: "bytes that were altered or cut short release no key"
        case .strangers: "bytes that no protector made are reported as damaged"
        case .otherHardware: "other hardware releases no key, and reports that it is other hardware"
        case .concurrentCalls: "calls of many tasks at once each get their own key"
        case .missing: "missing hardware is reported as missing, and works when it is back"
        }
    }

    /// Checks the clause on a protector.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the protector does not keep the clause.
    @discardableResult
    public func check(_ subject: KeyProtectorSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let place = try await subject.makePlace()
            let protector = place.protector
            let key = SecretBytes(randomCount: 32)
            func expectKey(_ protected: [UInt8], by other: (any KeyProtector)? = nil, _ what: String)
                async throws
            {
                let released = try await (other ?? protector).release(protected)
                try require(released.matches(key), "\(what): another key")
            }
            switch self {
            case .releases:
                let protected = try await protector.protect(key)
                for _ in 0..<3 { try await expectKey(protected, "the key") }
            case .fresh:
                let (one, two) = (try await protector.protect(key), try await protector.protect(key))
                try require(one != two, "two answers for one key are the same")
                let bytes = key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
                let shows = one.indices.contains { one[$0...].starts(with: bytes) }
                try require(!shows, "the key can be read in what is given")
                for protected in [one, two] { try await expectKey(protected, "either answer") }
            case .another:
                guard let another = place.another else { return .notApplicable("there is one instance only") }
                try await expectKey(
                    try await protector.protect(key),
                    by: try await another(),
                    "another instance"
                )
            case .altered:
                let protected = try await protector.protect(key)
                for index in stride(from: 0, to: protected.count, by: 3) {
                    var altered = protected
                    altered[index] ^= 1
                    try await expectNoKey(altered, protector, "with another byte \(index)")
                }
                for count in [0, 1, protected.count / 2, protected.count - 1] {
                    try await expectNoKey(Array(protected[..<count]), protector, "cut to \(count) bytes")
                }
                try await expectKey(protected, "what was not altered")
            case .strangers:
                for bytes in [[], [0], [UInt8](repeating: 0x41, count: 300)] {
                    try requireEqual(
                        try await code(bytes, protector),
                        .damaged,
                        "the code for \(bytes.count) bytes"
                    )
                }
            case .otherHardware:
                guard let other = place.otherHardware else {
                    return .notApplicable("there is no other hardware")
                }
                let protected = try await protector.protect(key)
                try requireEqual(
                    try await code(protected, try await other()),
                    .wrongKey,
                    "the other hardware's code"
                )
            case .concurrentCalls: try await checkConcurrentCalls(protector)
            case .missing:
                guard let setMissing = place.setMissing else {
                    return .notApplicable("there is no hardware to be taken away")
                }
                let protected = try await protector.protect(key)
                try await setMissing(true)
                try requireEqual(
                    try await code(protected, protector),
                    .unavailable,
                    "the code without hardware"
                )
                try await setMissing(false)
                try await expectKey(protected, "the hardware that is back")
            }
            return .kept
        }
    }

    private func checkConcurrentCalls(_ protector: any KeyProtector) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let key = SecretBytes(copying: [UInt8](repeating: UInt8(number), count: 32))
                    let released = try await protector.release(try await protector.protect(key))
                    try require(released.matches(key), "a call among others: another key")
                }
            }
            try await group.waitForAll()
        }
    }

    private func code(_ bytes: [UInt8], _ protector: any KeyProtector) async throws -> SecretStoreError.Code?
    {
        do throws(SecretStoreError) {
            _ = try await protector.release(bytes)
            return nil
        } catch {
            return error.code.portable
        }
    }

    private func expectNoKey(_ bytes: [UInt8], _ protector: any KeyProtector, _ what: String) async throws {
        try require(try await code(bytes, protector) != nil, "what was given, \(what): it released a key")
    }
}

/// A ``/PortcullisCore/KeyProtector`` to be checked against ``KeyProtectorContract``. The subject's function
/// makes a protector, together with functions that change the protector's hardware.
public struct KeyProtectorSubject: Sendable {
    /// A protector, with functions that change its surroundings. If a test cannot provide a function, the
    /// function is `nil`, and the clauses that need it do not apply.
    public struct Place: Sendable {
        /// The protector.
        public var protector: any KeyProtector
        /// Makes another protector on the same hardware, as another process does.
        public var another: (@Sendable () async throws -> any KeyProtector)?
        /// Makes a protector on other hardware.
        public var otherHardware: (@Sendable () async throws -> any KeyProtector)?
        /// Makes the hardware missing (`true`), or present again (`false`).
        public var setMissing: (@Sendable (Bool) async throws -> Void)?

        /// Makes a place with this protector and these functions.
        public init(
            protector: any KeyProtector,
            another: (@Sendable () async throws -> any KeyProtector)? = nil,
            otherHardware: (@Sendable () async throws -> any KeyProtector)? = nil,
            setMissing: (@Sendable (Bool) async throws -> Void)? = nil
        ) {
            self.protector = protector
            self.another = another
            self.otherHardware = otherHardware
            self.setMissing = setMissing
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// Makes a subject.
    ///
    /// - Parameter makePlace: makes a fresh protector; called once for each clause.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
