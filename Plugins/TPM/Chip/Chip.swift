internal import Gcrypt
internal import PortcullisCore

/// A TPM 2.0, for one task. Commands go over one connection, one after the other.
///
/// The commands are built here and not by ESYS of tpm2-tss, for two reasons. First, ESYS does not compare the
/// public area of a key with the Name that the chip reports. So a program between this process and the chip
/// could present its own key under the Name that a record holds. Second, ESYS does not wipe the memory in
/// which it keeps authorizations.
final class Chip {
    private let line: any ChipLine
    private let pause: (Duration) -> Void
    /// The times to wait between two attempts at a command, in milliseconds. An attempt is repeated while the
    /// chip answers that the command must be sent again later. The last attempt follows the last wait.
    private static let patience = [1, 2, 5, 10, 20, 50, 100, 200, 400, 800, 1600, 3200, 3200]
    /// The number of waits from ``patience`` that are used while the chip has no memory for a session or an
    /// object. Together these waits take less than two seconds. Without a resource manager, all clients
    /// share the few sessions and objects of a chip, and each client frees its own after a short task. If a
    /// killed client has not freed its sessions and objects, no wait helps.
    private static let memoryWaits = 10

    /// Makes the chip at the other end of a connection.
    ///
    /// - Parameter pause: blocks the thread for a time; in tests it returns at once.
    init(_ line: any ChipLine, pause: @escaping (Duration) -> Void) {
        (self.line, self.pause) = (line, pause)
    }

    /// A command (TPM 2.0 Part 3).
    enum Command: UInt32, Sendable {
        case evictControl = 0x120
        case undefineSpace = 0x122
        case defineSpace = 0x12A
        case createPrimary = 0x131
        case increment = 0x134
        case write = 0x137
        case read = 0x14E
        case policySecret = 0x151
        case create = 0x153
        case load = 0x157
        case unseal = 0x15E
        case flushContext = 0x165
        case readIndex = 0x169
        case readPublic = 0x173
        case startSession = 0x176
        case getCapability = 0x17A

        /// Whether the answer to the command begins with a handle.
        var answersHandle: Bool { self == .createPrimary || self == .load || self == .startSession }
    }

    /// An entity that a command uses: its handle, and the Name that the command's authorization covers.
    struct Entity: Sendable, Hashable {
        let handle: UInt32
        let name: [UInt8]

        /// Makes the entity of an object or an index, whose Name is derived from its public area.
        init(_ handle: UInt32, name: [UInt8]) { (self.handle, self.name) = (handle, name) }

        /// Makes the entity of a hierarchy or a session, whose Name is its handle.
        init(_ handle: UInt32) { (self.handle, name) = (handle, Wire(handle).bytes) }

        /// The owner hierarchy of the chip.
        static let owner = Entity(0x4000_0001)
    }

    /// How the use of a command's first entity is authorized.
    enum Authorization {
        /// The command needs no authorization.
        case none
        /// An empty password, for an entity that protects no secret.
        case empty
        /// A session. If the session proves the entity's authorization value, the case also holds this value.
        /// With `isLast` the chip ends the session after the command.
        case session(ChipSession, SecretBytes? = nil, isLast: Bool = false)
    }

    /// A command's first parameter, if it is a byte string.
    enum First {
        case none
        case plain([UInt8])
        case secret(SecretBytes)
    }

    struct Answer {
        var handle: UInt32?
        /// The answer's parameters. If the chip encrypted the first parameter, ``secret`` has the decrypted
        /// parameter.
        var parameters: WireReader
        var secret: SecretBytes?
    }

    /// Makes the chip carry out a command.
    ///
    /// - Parameters:
    ///   - first: the first parameter, if it is a byte string; a secret is encrypted by the session.
    ///   - rest: the other parameters.
    ///   - answersSecret: whether the chip encrypts the first parameter of its answer.
    func run(
        _ command: Command,
        _ entities: [Entity] = [],
        _ authorization: Authorization = .none,
        first: First = .none,
        rest: [UInt8] = [],
        answersSecret: Bool = false
    ) throws(ChipFailure) -> Answer {
        do {
            return try send(command, entities, authorization, first, rest, answersSecret)
        } catch {
            throw ChipFailure(kind: error.kind, command: "\(command)")
        }
    }

    private func send(
        _ command: Command,
        _ entities: [Entity],
        _ authorization: Authorization,
        _ first: First,
        _ rest: [UInt8],
        _ answersSecret: Bool
    ) throws(ChipFailure) -> Answer {
        var use: (ChipSession, ChipSession.Use)?
        if case .session(let session, let secret, let isLast) = authorization {
            var attributes: UInt8 = isLast ? 0 : ChipSession.Use.continues
            if case .secret = first { attributes |= ChipSession.Use.decrypts }
            if answersSecret { attributes |= ChipSession.Use.encrypts }
            use = (session, session.use(attributes, authorization: secret))
        }
        var parameters = Wire()
        switch first {
        case .none: break
        case .plain(let bytes): parameters.put(sized: bytes)
        case .secret(let secret):
            guard let use else { preconditionFailure("a secret goes with a session") }
            parameters.put(sized: try use.0.encrypt(secret, use.1))
        }
        parameters.put(raw: rest)
        var body = Wire()
        for entity in entities { body.put(entity.handle) }
        let area: [UInt8]
        switch authorization {
        case .none: area = []
        // The authorization is the session TPM_RS_PW, without a nonce and with an empty password.
        case .empty: area = Wire(UInt32(0x4000_0009), UInt16(0), UInt8(0), UInt16(0)).bytes
        case .session:
            guard let use else { preconditionFailure("a session has a use") }
            let names = entities.flatMap(\.name)
            area = try use.0.area(
                for: try Self.digest(Wire(command.rawValue).bytes + names + parameters.bytes),
                use.1
            )
        }
        if !area.isEmpty {
            body.put(UInt32(area.count))
            body.put(raw: area)
        }
        body.put(raw: parameters.bytes)
        var whole = Wire(
            UInt16(area.isEmpty ? 0x8001 : 0x8002),
            UInt32(body.bytes.count + 10),
            command.rawValue
        )
        whole.put(raw: body.bytes)
        return try read(try exchange(whole.bytes), of: command, hasArea: !area.isEmpty, use)
    }

    /// Sends a command. The command is sent again while the chip answers that it must be sent later. If the
    /// chip is short of memory, the command is sent again for a short time only.
    private func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
        var waits = 0
        while true {
            let answer = try line.exchange(command)
            guard let failure = try Self.failure(in: answer) else { return answer }
            guard failure.isTransient || failure.isShortOfMemory && waits < Self.memoryWaits else {
                throw failure
            }
            guard waits < Self.patience.count else {
                throw ChipFailure(kind: .response(ChipCode.retry.rawValue))
            }
            pause(.milliseconds(Self.patience[waits]))
            waits += 1
        }
    }

    private static func failure(in answer: [UInt8]) throws(ChipFailure) -> ChipFailure? {
        var reader = WireReader(answer)
        _ = try reader.number(UInt16.self)
        guard try reader.number(UInt32.self) == answer.count else { throw .garbled }
        let code = try reader.number(UInt32.self)
        return code == 0 ? nil : ChipFailure(kind: .response(code))
    }

    private func read(
        _ answer: [UInt8],
        of command: Command,
        hasArea: Bool,
        _ use: (ChipSession, ChipSession.Use)?
    ) throws(ChipFailure) -> Answer {
        var reader = WireReader(answer)
        let tag = try reader.number(UInt16.self)
        guard tag == (hasArea ? 0x8002 : 0x8001) else { throw .garbled }
        _ = try reader.take(8)
        let handle: UInt32? = command.answersHandle ? try reader.number() : nil
        guard hasArea else { return Answer(handle: handle, parameters: WireReader(reader.rest)) }
        let parameters = try reader.take(Int(try reader.number(UInt32.self)))
        guard let (session, use) = use else {
            return Answer(handle: handle, parameters: WireReader(parameters))
        }
        let digest = try Self.digest(Wire(UInt32(0), command.rawValue).bytes + parameters)
        try session.accept(&reader, of: digest, use)
        var result = Answer(handle: handle, parameters: WireReader(parameters))
        if use.encryptsAnswer {
            result.secret = try session.decrypt(try result.parameters.sized(), use)
        }
        return result
    }

    static func digest(_ bytes: [UInt8]) throws(ChipFailure) -> [UInt8] {
        do { return try Digest.sha256(bytes) } catch { throw ChipFailure(kind: .cryptography) }
    }
}
