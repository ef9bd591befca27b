@testable import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// Random acts on two devices and their server, with every fault of line and process, against what a person who sees
/// the whole world would expect.
@Suite("Accounts, whatever happens (P-51)", .timeLimit(.minutes(10)))
struct AccountModelTests {
    @Test(
        "P-51: no stale or wrong passcode opens, none that holds is lost, no news unlocks",
        arguments: 0..<12
    )
    func model(_ seed: UInt64) async throws {
        for round in 0..<25 {
            var world = try World(seed: seed * 1000 + UInt64(round))
            for _ in 0..<40 { try await world.step() }
            try await world.settle()
            if !world.findings.isEmpty {
                Issue.record(
                    "seed \(seed), round \(round): \(world.findings)\n\(world.log.joined(separator: "\n"))"
                )
                return
            }
        }
    }
}

/// A server and two devices, and what can be known of them from outside.
private struct World {
    /// What the person could know of a device.
    struct Seen {
        let store: MortalStore
        let line: InMemoryPasscodeAccount
        let service: PasscodeService
        /// What may be right on it: its own last one, and whatever the account had since.
        var allowed: Set<String> = []
        /// What its own key may be sealed under. While the account has no passcode, that opens.
        var sealed: Set<String> = []
        /// What must be right on it, also offline.
        var sure: String?
        /// The account's revision that belongs to it; `nil` while it is pending.
        var revision: AccountRevision?
        /// The timeout that was chosen on it.
        var timeout = Duration.seconds(900)
    }

    private static let pool = ["834912", "270954", "619375"]

    private let clock = ManualClock()
    private let server: InMemoryAccountServer
    private var devices: [Seen]
    private var random: Seeded
    var findings: [String] = []
    var log: [String] = []

    init(seed: UInt64) throws {
        random = Seeded(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        server = InMemoryAccountServer(clock: clock, delays: [])
        devices = []
        for _ in 0..<2 {
            let store = MortalStore(InMemorySecretStore.Storage())
            let line = InMemoryPasscodeAccount(server)
            let service = try PasscodeService(
                user: .ada,
                backends: Backends(secrets: store, sealer: FastPasscodeSealer(), clock: clock),
                session: Host(),
                configuration: PasscodeConfiguration(
                    appName: "Ledger",
                    throttle: .unlimited,
                    timeout: .accountPreset
                ),
                account: line
            )
            devices.append(Seen(store: store, line: line, service: service))
        }
    }

    /// The passcode that the account has, which only the test can see.
    private var held: String? { Self.pool.first { server.holds(SecretBytes($0)) } }

    private mutating func pick() -> String { Self.pool[Int.random(in: 0..<3, using: &random)] }

    mutating func step() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        let before = try await devices[index].service.status()
        let heldBefore = held
        let revisionBefore = server.status.revision
        disturb(index)
        let what = try await act(index)
        if devices[index].store.restart() {
            log.append("  killed")
            devices[index].sure = nil
            if case .new(let passcode) = what { devices[index].allowed.insert(passcode) }
        }
        if case .new(let passcode) = what { devices[index].sealed.insert(passcode) }
        devices[index].line.setOffline(false)
        // What the account got meanwhile may be right wherever it is asked for.
        if let held, held != heldBefore || server.status.revision != revisionBefore {
            for device in devices.indices { devices[device].allowed.insert(held) }
        }
        let after = try await devices[index].service.status()
        let isGone = !after.isSet && after.standing != .switchedOff
        if before.isSet, isGone, what != .opened { findings.append("a passcode went by itself") }
        if before.lock.isLocked, what != .opened, isGone || !after.lock.isLocked {
            findings.append("what was locked is open")
        }
        // As the lock itself does once a right passcode has opened it; and now and then the person locks it.
        let locks = what != .opened && (before.lock.isLocked || Bool.random(using: &random))
        try await devices[index].service.setLock(
            LockMark(isLocked: after.isSet && locks || before.lock.isLocked && locks)
        )
        if case .after(let timeout) = after.timeout, timeout > devices[index].timeout {
            findings.append("the timeout grew")
        }
    }

    private mutating func disturb(_ index: Int) {
        let line = devices[index].line
        switch Int.random(in: 0..<14, using: &random) {
        case 0: line.setOffline(true)
        case 1: line.failNext(.lostAnswer)
        case 2: line.failNext(.lostRequest)
        case 3: line.failNext(.late)
        case 4: line.failNext(.serverFailure)
        case 5:
            line.failNext(
                [.set, .change, .update, .reset, .verify].randomElement(using: &random)!,
                .lostAnswer
            )
        case 6, 7, 8:
            devices[index].store.die(
                afterChanges: Int.random(in: 0..<4, using: &random),
                withEffect: Bool.random(using: &random)
            )
        case 9: line.deliverLate()
        default: break
        }
    }

    private enum Happened: Equatable {
        case nothing
        /// The passcode itself was shown, and what it guards may be open.
        case opened
        /// A passcode was to be set, whether it was or not.
        case new(String)
    }

    private mutating func act(_ index: Int) async throws -> Happened {
        let (passcode, new) = (pick(), pick())
        // The account may confirm the passcode that it has. The device then seals its key under it.
        if passcode == held {
            devices[index].sealed.insert(passcode)
            if devices[index].sure != passcode { devices[index].sure = nil }
        }
        let (service, server) = (devices[index].service, server)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            let isRight = await attempt("\(index) set \(passcode)") {
                try await service.set(SecretBytes(passcode))
            }
            if isRight != nil { own(index, passcode) }
            return .new(passcode)
        case 2, 3:
            let answer = await attempt("\(index) change \(passcode) \(new)") {
                try await service.change(from: SecretBytes(passcode), to: SecretBytes(new))
            }
            if answer?.isRight == true { own(index, new) }
            return .new(new)
        case 4, 5:
            let standing = try await service.status().standing
            let answer = await attempt("\(index) verify \(passcode)") {
                try await service.verify(SecretBytes(passcode))
            }
            let mayOpen = mayOpen(index, passcode)
            check(index, passcode, answer, standing)
            // A process that was killed may have removed what was switched off.
            return answer?.isRight ?? mayOpen ? .opened : .nothing
        case 6:
            let answer = await attempt("\(index) remove \(passcode)") {
                try await service.remove(SecretBytes(passcode))
            }
            guard answer?.isRight == true || devices[index].allowed.contains(passcode) else {
                return .nothing
            }
            devices[index].sure = nil
            return .opened
        case 7:
            let answer = await attempt("\(index) reset \(new)") {
                let request = try await service.requestReset()
                guard let code = server.mailedCode else { return PasscodeResetAnswer.refused }
                return try await service.reset(code: code, of: request, to: SecretBytes(new))
            }
            if case .reset? = answer { own(index, new) }
            await clock.advance(by: .seconds(900))
            return .new(new)
        case 8:
            switch Int.random(in: 0..<4, using: &random) {
            case 0: server.setEnabled(Bool.random(using: &random))
            case 1: server.setTimeout(.minutes(Int.random(in: 0..<30, using: &random)))
            case 2: server.removePasscode()
            default: server.replacePasscode(SecretBytes(new))
            }
            log.append("server \(server.status) \(held ?? "-")")
            return .nothing
        case 9:
            await attempt("\(index) push \(passcode)") { try await service.push(SecretBytes(passcode)) }
            return .nothing
        default:
            let report = await attempt("\(index) synchronise") { try await service.synchronise() }
            if report != nil { heard(index) }
            return .nothing
        }
    }

    /// A passcode was set on a device, and it said so.
    private mutating func own(_ index: Int, _ passcode: String) {
        devices[index].allowed = [passcode]
        if let held { devices[index].allowed.insert(held) }
        devices[index].sealed = [passcode]
        devices[index].sure = passcode
        devices[index].revision = held == passcode ? server.status.revision : nil
    }

    private func mayOpen(_ index: Int, _ passcode: String) -> Bool {
        devices[index].allowed.contains(passcode) || held == nil && devices[index].sealed.contains(passcode)
    }

    private mutating func check(
        _ index: Int,
        _ passcode: String,
        _ answer: PasscodeAnswer?,
        _ standing: PasscodeStanding
    ) {
        guard let answer else { return }
        if answer.isRight {
            if !mayOpen(index, passcode), held != passcode {
                findings.append(
                    "\(passcode) opened; allowed: \(devices[index].allowed), account: \(held ?? "-")"
                )
            }
            if standing == .unconfirmed, held != passcode, !mayOpen(index, passcode) {
                findings.append("\(passcode) opened without the account's word")
            }
            devices[index].allowed = [passcode]
            if let held { devices[index].allowed.insert(held) }
            if devices[index].sure != passcode { devices[index].sure = nil }
        } else if case .wrong = answer, devices[index].sure == passcode, standing != .unconfirmed,
            // After a switch-off the account may have another passcode again, and the device may ask it.
            standing != .switchedOff || held == nil
        {
            findings.append("\(passcode) holds and did not open")
        }
    }

    /// The account told its status: what it has by now is all that counts.
    private mutating func heard(_ index: Int) {
        guard let held else { return }
        let isOwn = devices[index].sure == held && devices[index].revision == server.status.revision
        devices[index].allowed = [held]
        if !isOwn { devices[index].sure = nil }
    }

    @discardableResult
    private mutating func attempt<Value>(
        _ what: String,
        _ body: () async throws -> Value
    ) async -> Value? {
        do {
            let value = try await body()
            log.append("\(what): \(value)")
            return value
        } catch {
            log.append("\(what): \(error)")
            return nil
        }
    }

    /// All faults are over: every device ends with the account's passcode, and with no other.
    mutating func settle() async throws {
        for index in devices.indices {
            devices[index].line.deliverLate()
            devices[index].line.mend()
            devices[index].store.restart()
        }
        let held = held
        for index in devices.indices {
            let service = devices[index].service
            try await service.synchronise()
            log.append("settled \(index): \(try await service.status().standing), account: \(held ?? "-")")
            guard let held else {
                let standing = try await service.status().standing
                let isAlone =
                    standing == .pendingUpload || standing == .switchedOff || standing == .unconfirmed
                if try await service.status().isSet, !isAlone {
                    findings.append("it believes in a passcode that is gone")
                }
                continue
            }
            for passcode in Self.pool where passcode != held {
                if try await service.verify(SecretBytes(passcode)).isRight {
                    findings.append("\(passcode) opens")
                }
            }
            if try await !service.verify(SecretBytes(held)).isRight {
                findings.append("\(held) does not open")
            }
            devices[index].line.setOffline(true)
            if try await !service.verify(SecretBytes(held)).isRight { findings.append("not kept here") }
        }
    }
}

/// Random numbers that a seed repeats (splitmix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
