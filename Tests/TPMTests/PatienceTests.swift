import Testing

@testable import TPM

/// Commands that a chip puts off. No chip is needed.
@Suite("Patience with a chip that is busy (H-3)", .timeLimit(.minutes(1)))
struct PatienceTests {
    /// A chip that puts a command off so many times, and what it was asked between which pauses.
    private final class BusyChip: ChipLine {
        enum Event: Equatable { case command, pause(Duration) }

        private var left: Int
        private let code: UInt32
        private(set) var events: [Event] = []

        init(_ left: Int, code: UInt32 = ChipCode.retry.rawValue) { (self.left, self.code) = (left, code) }

        func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8] {
            events.append(.command)
            left -= 1
            return Wire(UInt16(0x8001), UInt32(10), left < 0 ? UInt32(0) : code).bytes
        }

        /// Sends a command; returns how many times it was sent, and how it failed.
        func send() -> (commands: Int, failure: ChipFailure?) {
            let chip = Chip(self) { self.events.append(.pause($0)) }
            do throws(ChipFailure) { _ = try chip.run(.getCapability) } catch {
                return (events.count { $0 == .command }, error)
            }
            return (events.count { $0 == .command }, nil)
        }
    }

    @Test("H-3: a command that is put off is sent again after each pause, also after the last")
    func lastPause() {
        let busy = BusyChip(.max)
        let (commands, failure) = busy.send()
        #expect(failure?.code == .retry && failure?.command == "getCapability")
        #expect(busy.events.first == .command && busy.events.last == .command, "no pause is in vain")
        #expect(commands == busy.events.count / 2 + 1, "commands and pauses alternate")
        #expect(busy.events[1] == .pause(.milliseconds(1)), "the first pause is the shortest")
        // A chip that is ready after the last pause.
        let late = BusyChip(commands - 1)
        #expect(late.send() == (commands, nil))
        #expect(late.events == busy.events)
        let ready = BusyChip(0)
        #expect(ready.send() == (1, nil))
        #expect(ready.events == [.command])
    }

    @Test(
        "H-3: a chip whose memory another client uses is asked again for a short time",
        arguments: [ChipCode.objectMemory, .sessionMemory, .memory]
    )
    func shortOfMemory(_ code: ChipCode) {
        let full = BusyChip(.max, code: code.rawValue)
        let (commands, failure) = full.send()
        #expect(failure?.code == code)
        #expect(full.events.last == .command)
        let waited = full.events.reduce(Duration.zero) { sum, event in
            if case .pause(let pause) = event { sum + pause } else { sum }
        }
        #expect(waited > .seconds(1) && waited < .seconds(2))
        #expect(BusyChip(commands - 1, code: code.rawValue).send() == (commands, nil))
    }

    @Test("H-3: an answer that does not put off ends the patience")
    func refused() {
        let chip = BusyChip(.max, code: ChipCode.failure.rawValue)
        #expect(chip.send().failure?.code == .failure)
        #expect(chip.events == [.command])
    }
}
