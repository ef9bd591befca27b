import PortcullisCore
import Synchronization

@testable import TPM

/// Hears what goes over a line, and answers in its place where a test wants that.
final class HeardLine: ChipLine {
    let line: any ChipLine
    let ear: Ear

    init(_ line: any ChipLine, _ ear: Ear) { (self.line, self.ear) = (line, ear) }

    func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
        if let answer = try ear.before(command) { return answer }
        return try ear.after(command, try line.exchange(command))
    }
}

/// What was heard on all lines, and what happens on them.
final class Ear: Sendable {
    /// What comes in between.
    enum Fault: Sendable, CaseIterable {
        /// The command is lost with the connection.
        case lostBefore
        /// The chip has carried it out, and its answer is lost.
        case lostAfter
        case retry, rate, lockout, failureMode
    }

    fileprivate struct State {
        var commands: [[UInt8]] = []
        var answers: [[UInt8]] = []
        /// The number of the command that a fault comes to, from now on, and of the commands that it then stays for.
        var fault: (kind: Fault, after: Int, length: Int)?
        var isBroken = false
        /// The answers in the place of the chip's, by the codes of commands that it then does not get.
        var refusals: [UInt32: UInt32] = [:]
        var change: (@Sendable (UInt32, [UInt8]) -> [UInt8])?
    }

    private let state = Mutex(State())

    /// The codes of the commands that were sent.
    var codes: [UInt32] { state.withLock { $0.commands.map(Self.code) } }
    var traffic: [[UInt8]] { state.withLock { $0.commands + $0.answers } }

    func forget() { state.withLock { ($0.commands, $0.answers) = ([], []) } }
    func schedule(_ fault: Fault, after commands: Int, for length: Int = 1) {
        state.withLock { $0.fault = (fault, commands, length) }
    }
    func heal() { state.withLock { ($0.fault, $0.isBroken) = (nil, false) } }
    func alter(_ change: (@Sendable (UInt32, [UInt8]) -> [UInt8])?) { state.withLock { $0.change = change } }

    /// Answers each of these commands with a code, and does not let the chip have it; `nil` ends that.
    func refuse(_ command: Chip.Command, with code: UInt32?) {
        state.withLock { $0.refusals[command.rawValue] = code }
    }

    func connected() { state.withLock { $0.isBroken = false } }

    /// - Returns: an answer in the place of the chip's.
    func before(_ command: [UInt8]) throws(ChipFailure) -> [UInt8]? {
        let code = try state.withLock { (state) throws(ChipFailure) -> UInt32? in
            guard !state.isBroken else { throw ChipFailure(kind: .lost) }
            state.commands.append(command)
            if let refusal = state.refusals[Self.code(command)] { return refusal }
            guard let fault = state.fault else { return nil }
            guard fault.after == 0 else {
                state.fault?.after -= 1
                return nil
            }
            switch fault.kind {
            case .lostBefore:
                state.isBroken = true
                state.fault = nil
                throw ChipFailure(kind: .lost)
            case .lostAfter: return nil
            case .retry: return state.transient(0x922)
            case .rate: return state.transient(0x920)
            case .lockout: return state.transient(0x921)
            case .failureMode: return state.transient(0x101)
            }
        }
        return code.map { Wire(UInt16(0x8001), UInt32(10), $0).bytes }
    }

    func after(_ command: [UInt8], _ answer: [UInt8]) throws(ChipFailure) -> [UInt8] {
        let result = state.withLock { state -> [UInt8]? in
            state.answers.append(answer)
            if let fault = state.fault, fault.kind == .lostAfter, fault.after == 0 {
                state.fault = nil
                state.isBroken = true
                return nil
            }
            return state.change?(Self.code(command), answer) ?? answer
        }
        guard let result else { throw ChipFailure(kind: .lost) }
        return result
    }

    private static func code(_ command: [UInt8]) -> UInt32 {
        command[6..<10].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension Ear.State {
    /// A code in the place of an answer, for as many commands as the fault lasts.
    fileprivate mutating func transient(_ code: UInt32) -> UInt32 {
        fault?.length -= 1
        if fault?.length == 0 { fault = nil }
        return code
    }
}
