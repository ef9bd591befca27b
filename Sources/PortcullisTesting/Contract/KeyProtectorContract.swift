public import PortcullisCore

/// What every ``/PortcullisCore/KeyProtector`` keeps, clause by clause.
public enum KeyProtectorContract: String, ContractClause {
    /// A key that was protected.
    case releases = "KP-01"
    /// One key protected twice.
    case fresh = "KP-02"
    /// Another instance.
    case another = "KP-03"
    /// What was altered.
    case altered = "KP-04"
    /// What is no key of a protector.
    case strangers = "KP-05"
    /// Other hardware.
    case otherHardware = "KP-06"
    /// Calls from many tasks.
    case concurrentCalls = "KP-07"
    /// Hardware that is not there.
    case missing = "KP-08"

    /// What the clause asks, in one sentence.
    public var prose: String {
        switch self {
        case .releases: "a key that was protected is released, whole, any number of times"
        case .fresh: "what is given for one key differs each time, and does not show it"
        case .another: "what one instance protected, another on the same hardware releases"
        case .altered: "what was altered or cut short releases nothing"
        case .strangers: "what no protector gave is damaged"
        case .otherHardware: "other hardware releases nothing, and says that it is another"
        case .concurrentCalls: "calls from many tasks at once each have their own key"
        case .missing: "hardware that is missing is told as that, and is back afterwards"
        }
    }

    /// Checks the clause on a protector.
    ///
    /// - Returns: that it is kept, or why it does not apply.
    /// - Throws: ``ContractViolation`` when it is not kept.
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
            return error.code
        }
    }

    private func expectNoKey(_ bytes: [UInt8], _ protector: any KeyProtector, _ what: String) async throws {
        try require(try await code(bytes, protector) != nil, "what was given, \(what): it released a key")
    }
}

/// What a ``KeyProtectorContract`` looks at: protectors to be had, and the ways to disturb what they stand on.
public struct KeyProtectorSubject: Sendable {
    /// A protector with the ways to disturb it; a way that it does not have is `nil`.
    public struct Place: Sendable {
        /// The protector.
        public var protector: any KeyProtector
        /// Another one on the same hardware, as another process has one.
        public var another: (@Sendable () async throws -> any KeyProtector)?
        /// One on other hardware.
        public var otherHardware: (@Sendable () async throws -> any KeyProtector)?
        /// Takes the hardware away (`true`), or gives it back (`false`).
        public var setMissing: (@Sendable (Bool) async throws -> Void)?

        /// A place of these parts.
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

    /// A protector to be checked.
    ///
    /// - Parameter makePlace: makes a fresh one; each clause has one of its own.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
