internal import PortcullisCore

/// A request of a process in a session to the agent.
enum AgentRequest: Sendable {
    case read(SecretName)
    /// A commit that makes all of these changes or none of them.
    case commit([SecretChange])
}

/// An answer of the agent.
enum AgentReply: Sendable {
    case found(StoredSecret?)
    case committed([SecretVersion?])
    /// The present versions of the items whose preconditions failed. The key is the index of the change in
    /// the request.
    case conflict([Int: SecretVersion?])
    case failed(AgentFailure, message: String)

    /// Whether the answer contains a value.
    var isSecret: Bool {
        if case .found(_?) = self { true } else { false }
    }
}

/// The reason why the agent refused or failed, as a byte of the answer.
enum AgentFailure: UInt8, Sendable, CaseIterable {
    /// The session, or the class, is locked.
    case classLocked = 1
    /// The agent has another store.
    case otherStore
    /// The agent does not understand the request.
    case malformed
    case invalidName
    case tooLarge
    case lockTimeout
    case damaged
    case rolledBack
    case diskFull
    case readOnly
    case durabilityUnknown
    case unavailable
    case other
    case outcomeUnknown
    case unreachable
    case timedOut

    /// Makes the failure for a store's error code. For a code that only an adapter defines, the failure is
    /// that of the closest code of the port.
    init(_ code: SecretStoreError.Code) {
        let portable = code.portable
        self = Self.allCases.first { $0.code == portable } ?? .other
    }

    var code: SecretStoreError.Code {
        switch self {
        case .classLocked, .otherStore: .classLocked
        case .invalidName: .invalidName
        case .tooLarge: .tooLarge
        case .lockTimeout: .lockTimeout
        case .damaged: .damaged
        case .rolledBack: .rolledBack
        case .diskFull: .diskFull
        case .readOnly: .readOnly
        case .durabilityUnknown: .durabilityUnknown
        case .unavailable: .unavailable
        case .outcomeUnknown: .outcomeUnknown
        case .unreachable: .unreachable
        case .timedOut: .timedOut
        case .malformed, .other: .systemFailure
        }
    }
}

/// A message on the agent's socket: its length in four bytes, little-endian, then that many bytes.
enum AgentMessage {
    static let version: UInt8 = 1
    static let head = 4
    /// The largest request in bytes. This is enough for the largest value that every store accepts, and some
    /// small values.
    static let longestRequest = 2 << 20
    /// The largest answer in bytes: the largest value of a keystore, and its properties.
    static let longestReply = (64 << 20) + 1024

    /// Reads the length from a head; 0 if the head is too short.
    static func length(_ head: SecretBytes) -> Int {
        var reader = AgentReader(head)
        return reader.number(UInt32.self).map { Int($0) } ?? 0
    }
}

extension AgentRequest {
    /// The whole message of the request, for the store at this path.
    func message(for store: String) -> SecretBytes {
        var writer = AgentWriter()
        writer.byte(AgentMessage.version)
        writer.text(store)
        switch self {
        case .read(let name):
            writer.byte(1)
            writer.name(name)
        case .commit(let changes):
            writer.byte(2)
            writer.number(UInt32(clamping: changes.count))
            for change in changes { writer.change(change) }
        }
        return writer.message
    }

    /// Decodes a message's body, which is the part after the length. Returns the request and the path of the
    /// store that the request is for; `nil` if the body is malformed.
    static func decode(_ body: SecretBytes) -> (request: AgentRequest, store: String)? {
        var reader = AgentReader(body)
        guard reader.byte() == AgentMessage.version, let store = reader.text() else { return nil }
        let request: AgentRequest
        switch reader.byte() {
        case 1:
            guard let name = reader.name() else { return nil }
            request = .read(name)
        case 2:
            guard let count = reader.number(UInt32.self) else { return nil }
            var changes: [SecretChange] = []
            for _ in 0..<count {
                guard let change = reader.change() else { return nil }
                changes.append(change)
            }
            request = .commit(changes)
        default: return nil
        }
        return reader.isAtEnd ? (request, store) : nil
    }
}

extension AgentReply {
    /// The whole message of the answer.
    var message: SecretBytes {
        var writer = AgentWriter()
        switch self {
        case .found(nil):
            writer.byte(1)
        case .found(let stored?):
            writer.byte(2)
            writer.number(stored.version.rawValue)
            writer.byte(stored.accessibility.agentByte)
            writer.secret(stored.value)
        case .committed(let versions):
            writer.byte(3)
            writer.number(UInt32(clamping: versions.count))
            for version in versions { writer.version(version) }
        case .conflict(let conflicts):
            writer.byte(4)
            writer.number(UInt32(clamping: conflicts.count))
            for (place, version) in conflicts {
                writer.number(UInt32(clamping: place))
                writer.version(version)
            }
        case .failed(let failure, let message):
            writer.byte(5)
            writer.byte(failure.rawValue)
            writer.text(message)
        }
        return writer.message
    }

    /// Reads an answer from a message without its length; `nil` if the message is malformed.
    static func decode(_ body: SecretBytes) -> AgentReply? {
        var reader = AgentReader(body)
        let reply: AgentReply
        switch reader.byte() {
        case 1: reply = .found(nil)
        case 2:
            guard let version = reader.number(UInt64.self),
                let accessibility = reader.byte().flatMap(Accessibility.init(agentByte:)),
                let value = reader.secret()
            else { return nil }
            reply = .found(
                StoredSecret(value: value, version: SecretVersion(version), accessibility: accessibility)
            )
        case 3:
            guard let count = reader.number(UInt32.self) else { return nil }
            var versions: [SecretVersion?] = []
            for _ in 0..<count {
                guard let version = reader.version() else { return nil }
                versions.append(version)
            }
            reply = .committed(versions)
        case 4:
            guard let count = reader.number(UInt32.self) else { return nil }
            var conflicts: [Int: SecretVersion?] = [:]
            for _ in 0..<count {
                guard let place = reader.number(UInt32.self), let version = reader.version() else {
                    return nil
                }
                conflicts.updateValue(version, forKey: Int(place))
            }
            reply = .conflict(conflicts)
        case 5:
            guard let failure = reader.byte().flatMap(AgentFailure.init), let message = reader.text() else {
                return nil
            }
            reply = .failed(failure, message: message)
        default: return nil
        }
        return reader.isAtEnd ? reply : nil
    }
}

extension Accessibility {
    var agentByte: UInt8 { availability.rawValue | (thisDeviceOnly ? 0x80 : 0) }

    init?(agentByte: UInt8) {
        guard let availability = Availability(rawValue: agentByte & 0x7F) else { return nil }
        self.init(availability, thisDeviceOnly: agentByte & 0x80 != 0)
    }
}
