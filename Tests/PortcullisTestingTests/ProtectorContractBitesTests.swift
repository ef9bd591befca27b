import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("The KeyProtector contract bites (X-3, H-4)", .timeLimit(.minutes(5)))
struct ProtectorContractBitesTests {
    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: ProtectorFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: ProtectorFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(FaultyProtector.subject(fault))
        }
        #expect(violation?.clause == clause.id)
        #expect(violation?.finding.contains("unexpected error") == false)
    }

    @Test("X-3: the protector without a fault keeps every clause", arguments: KeyProtectorContract.allCases)
    func barksAtNothing(_ clause: KeyProtectorContract) async throws {
        #expect(try await clause.check(FaultyProtector.subject(.none)) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(ProtectorFault.allCases.compactMap(\.clause))
        #expect(Set(KeyProtectorContract.allCases).subtracting(proved).isEmpty)
        #expect(KeyProtectorContract.allCases.map(\.id) == (1...8).map { "KP-0\($0)" })
    }
}

/// One way in which a protector can be wrong.
enum ProtectorFault: CaseIterable {
    case none, losesKey, repeats, showsKey, knowsOwnOnly, ignoresTail, takesShort, misnamesStrangers
    case misnamesOther, mixesCalls, worksWithout

    /// The clause that is meant to catch the fault.
    var clause: KeyProtectorContract? {
        switch self {
        case .none: nil
        case .losesKey: .releases
        case .repeats, .showsKey: .fresh
        case .knowsOwnOnly: .another
        case .ignoresTail, .takesShort: .altered
        case .misnamesStrangers: .strangers
        case .misnamesOther: .otherHardware
        case .mixesCalls: .concurrentCalls
        case .worksWithout: .missing
        }
    }
}

/// A protector that is right except for one fault. Its hardware keeps the keys in memory.
private final class FaultyProtector: KeyProtector {
    /// The hardware, which outlives each protector.
    final class Hardware: Sendable {
        struct State {
            var keys: [(token: [UInt8], key: SecretBytes, owner: ObjectIdentifier)] = []
            var releases = 0
            var isMissing = false
        }

        let state = Mutex(State())
        let id: UInt8

        init(_ id: UInt8) { self.id = id }
    }

    private static let magic: [UInt8] = [0x46, 0x50]
    private let hardware: Hardware
    private let fault: ProtectorFault

    init(_ hardware: Hardware, _ fault: ProtectorFault) { (self.hardware, self.fault) = (hardware, fault) }

    static func subject(_ fault: ProtectorFault) -> KeyProtectorSubject {
        KeyProtectorSubject {
            let hardware = Hardware(1)
            return .init(
                protector: FaultyProtector(hardware, fault),
                another: { FaultyProtector(hardware, fault) },
                otherHardware: { FaultyProtector(Hardware(2), fault) },
                setMissing: { isMissing in hardware.state.withLock { $0.isMissing = isMissing } }
            )
        }
    }

    func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8] {
        let own = ObjectIdentifier(self)
        let token = hardware.state.withLock { state -> [UInt8] in
            if fault == .repeats, let kept = state.keys.first(where: { $0.key.matches(key) }) {
                return kept.token
            }
            var token = (0..<24).map { _ in UInt8.random(in: 0...255) }
            if fault == .showsKey { token += key.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
            state.keys.append((token, key, own))
            return token
        }
        return Self.magic + [hardware.id] + token
    }

    func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes {
        let damaged = SecretStoreError(code: .damaged, message: "no key of a protector")
        guard protected.count > 3, protected.starts(with: Self.magic) else {
            throw fault == .misnamesStrangers
                ? SecretStoreError(code: .wrongKey, message: "another key") : damaged
        }
        guard protected[2] == hardware.id else {
            throw fault == .misnamesOther
                ? damaged : SecretStoreError(code: .wrongKey, message: "other hardware")
        }
        let token = protected[3...]
        let own = ObjectIdentifier(self)
        let found = hardware.state.withLock { state -> Result<SecretBytes?, SecretStoreError> in
            if state.isMissing, fault != .worksWithout {
                return .failure(SecretStoreError(code: .unavailable, message: "no hardware"))
            }
            state.releases += 1
            if fault == .losesKey, state.releases > 1 { return .success(SecretBytes(randomCount: 32)) }
            if fault == .mixesCalls { return .success(state.keys.first?.key) }
            let kept = state.keys.first { kept in
                switch fault {
                case .ignoresTail: token.count == kept.token.count && token.starts(with: kept.token.prefix(8))
                case .takesShort: kept.token.starts(with: token) && !token.isEmpty
                default: Array(token) == kept.token
                }
            }
            guard let kept else { return .success(nil) }
            let isKnown = fault != .knowsOwnOnly || kept.owner == own
            return .success(isKnown ? kept.key : SecretBytes(randomCount: 32))
        }
        guard let key = try found.get() else { throw damaged }
        return key
    }
}
