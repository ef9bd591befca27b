import Testing

@testable import CronScheduler

@Suite("What tells a schedule from another", .timeLimit(.minutes(10)))
struct DigestTests {
    private func digest(_ expression: String, _ zone: String? = nil) throws -> UInt64 {
        try CronExpression(expression).rule.digest(zone: zone)
    }

    @Test("S-4: a schedule that was changed in any part is another one")
    func parts() throws {
        let expressions = [
            "0 0 8 1 1 *", "1 0 8 1 1 *", "0 1 8 1 1 *", "0 0 9 1 1 *", "0 0 8 2 1 *", "0 0 8 1 2 *",
            "0 0 8 * 1 1", "0 0 8 * 1 2", "0 0 8 1 1 1", "0 0 8 */31 1 1",
            "0 0 8 L 1 *", "0 0 8 L-1 1 *", "0 0 8 LW 1 *", "0 0 8 L-1W 1 *", "0 0 8 1W 1 *", "0 0 8 2W 1 *",
            "0 0 8 ? 1 1#1", "0 0 8 ? 1 1#2", "0 0 8 ? 1 1L", "0 0 8 ? 1 2L",
            "0 0 8 1 1 * 2030", "0 0 8 1 1 * 2031", "0 0 8 1 1 * 2030-2034", "0 0 8 1 1 * 2031-2034",
            "0 0 8 1 1 * 2030-2035", "0 0 8 1 1 * 2030-2034/2", "0 0 8 1 1 * 2030-2034/4",
            "@every 10s", "@every 20s", "@reboot",
        ]
        var digests: [UInt64: String] = [:]
        for expression in expressions {
            let digest = try digest(expression)
            #expect(digests[digest] == nil, "\(expression) and \(digests[digest] ?? "")")
            digests[digest] = expression
        }
        let zones = [nil, "UTC", "Europe/Zurich"]
        #expect(Set(try zones.map { try digest("0 0 8 1 1 *", $0) }).count == 3)
    }

    @Test("S-4: the number of a schedule is the same in every process, as the journal has it written down")
    func pinned() throws {
        #expect(try digest("0 0 8 1 1 *", "UTC") == 7_066_773_011_881_292_300)
    }
}
