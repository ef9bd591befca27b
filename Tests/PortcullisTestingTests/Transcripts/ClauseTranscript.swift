import Foundation
import PortcullisTesting
import Testing

/// How a clause goes, as it is recorded beside the tests: its title, its calls with their answers, and behind each the
/// wrong answers that it notices.
///
/// The record of a clause that was changed on purpose is made anew with
/// `swift test --filter TranscriptTests --attachments-path DIRECTORY`, which puts the present text of each clause that
/// differs into a file named for contract and clause.
struct ClauseTranscript {
    /// In what way calls of a clause come.
    enum Order {
        /// One after another.
        case serial
        /// From many tasks, always as many.
        case concurrent
        /// From many tasks, with attempts that are repeated.
        case repeated
    }

    private static let mostLines = 48
    private static let mostTurns = 160

    private(set) var lines: [String]

    init(
        _ clause: some ContractClause,
        _ order: Order = .serial,
        _ check: (Transcript) async throws -> ContractResult
    ) async throws {
        lines = [clause.description]
        let plain = Transcript(hasAnswers: order == .serial)
        #expect(try await check(plain) == .kept)
        switch order {
        case .serial: lines += Self.shortened(try await Self.marked(plain.entries, check))
        case .concurrent:
            let counts = Dictionary(grouping: plain.entries, by: \.text).mapValues(\.count)
            lines += Self.shortened(counts.map { "\($0.key), \($0.value) times" }.sorted())
            if plain.unorderedValues > 0 { lines.append("\(plain.unorderedValues) different of many") }
        case .repeated:
            // Which of several openings an attempt goes through is up to the tasks.
            let texts = plain.entries.map { entry in
                String(entry.text.drop { $0.isNumber || $0 == " " })
            }
            lines += Self.shortened(Set(texts).sorted())
        }
    }

    /// The entries with what of their other answers is noticed.
    private static func marked(
        _ entries: [Transcript.Entry],
        _ check: (Transcript) async throws -> ContractResult
    ) async throws -> [String] {
        let turns = entries.reduce(0) { $0 + $1.others.count }
        let step = (turns + mostTurns - 1) / mostTurns
        var turn = 0
        var lines: [String] = []
        for entry in entries {
            var noticed: [String] = []
            for other in entry.others {
                defer { turn += 1 }
                guard turn.isMultiple(of: step) else { continue }
                do {
                    _ = try await check(Transcript(bending: turn))
                } catch is ContractViolation {
                    noticed.append(other)
                }
            }
            let notices = noticed.isEmpty ? "" : " | notices \(noticed.joined(separator: ", "))"
            lines.append(entry.text + notices)
        }
        return lines
    }

    /// The first lines and a checksum of the rest.
    private static func shortened(_ lines: [String]) -> [String] {
        guard lines.count > mostLines else { return lines }
        let rest = lines.dropFirst(mostLines / 2)
        let sum = rest.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return lines.prefix(mostLines / 2) + ["and \(rest.count) more, \(String(sum, radix: 16))"]
    }

    /// Compares it with the record.
    func expectAsRecorded(_ contract: String, _ clause: some ContractClause) throws {
        let url = try #require(
            Bundle.module.url(forResource: contract, withExtension: "txt", subdirectory: "Recorded")
        )
        let sections = try String(contentsOf: url, encoding: .utf8).split(separator: "\n\n")
        let recorded =
            sections.first { $0.hasPrefix("\(clause.id) ") }.map { $0.split(separator: "\n") } ?? []
        let isAsRecorded = recorded.elementsEqual(lines) { $0 == $1 }
        if isAsRecorded { return }
        Attachment.record(lines.joined(separator: "\n") + "\n\n", named: "\(contract)-\(clause.id).txt")
        let index = zip(recorded, lines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = index ?? min(recorded.count, lines.count)
        let was = recorded.indices.contains(place) ? String(recorded[place]) : "nothing"
        let `is` = lines.indices.contains(place) ? lines[place] : "nothing"
        Issue.record("line \(place + 1) of \(clause.id) was recorded as\n  \(was)\nand is\n  \(`is`)")
    }
}
