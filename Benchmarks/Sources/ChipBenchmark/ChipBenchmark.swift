internal import ArgumentParser
internal import Foundation
internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting
internal import Reporting
internal import SystemClock
internal import TPM

/// Measures checking a passcode in a TPM, beside bare Argon2id and the same commands by tpm2-tss alone.
///
/// Both take turns, check by check, in an order that is drawn for each turn.
@main
struct ChipBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a passcode's check in a TPM, beside what it takes at least."
    )

    @Option(help: "The TCTI of the chip.") var tcti: String
    @Option(help: "The program of Benchmarks/Chip/limit.c.") var limit: String
    @Option(help: "How often all is measured.") var rounds = 5
    @Option(help: "How many checks of each there are in a round.") var tries = 60

    /// The most that ours may take of its limit.
    private static let bar = 1.3
    private static let right = SecretBytes(copying: "834912".utf8)

    func validate() throws {
        guard rounds > 0, tries > 0 else { throw ValidationError("Both are one or more.") }
    }

    func run() async throws {
        guard let address = TPMAddress(tcti) else { throw ValidationError("This is no TCTI.") }
        let service = try Self.service(address)
        try await service.set(Self.right)
        let peer = try Peer(limit, tcti)
        for _ in 0..<5 {
            _ = try await check(service)
            _ = try peer.check()
        }
        var ratios: [Double] = []
        print("| round | Portcullis | Argon2id | the commands by tpm2-tss | both | ours | connecting |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for round in 1...rounds {
            var (ours, both): ([Double], [Double]) = ([], [])
            var (derivations, commands, connections): ([Double], [Double], [Double]) = ([], [], [])
            for _ in 0..<tries {
                for isOurs in Bool.random() ? [true, false] : [false, true] {
                    if isOurs {
                        ours.append(try await check(service))
                    } else {
                        let times = try peer.check()
                        derivations.append(times[0])
                        commands.append(times[1])
                        // Connecting takes ours its time, too, and is no part of the limit.
                        connections.append(times[2])
                        both.append(times[0] + times[1])
                    }
                }
            }
            let figures = [ours, derivations, commands, both, connections].compactMap { Figure($0) }
            let ratio = figures[0].median / figures[3].median
            ratios.append(ratio)
            let texts = figures.map { $0.text(.time) }
            print(
                "| \(round) | \(texts.dropLast().joined(separator: " | ")) | \(threeDigits(ratio)) × | "
                    + "\(texts[4]) |"
            )
        }
        _ = try await service.remove(Self.right)
        guard let all = Figure(ratios) else { return }
        let isMet = all.median <= Self.bar
        print(
            "\nOurs: \(threeDigits(all.median)) × the limit at the median of \(rounds) rounds, "
                + "\(threeDigits(all.highest)) × in the worst; "
                + "bar ≤ \(threeDigits(Self.bar)) ×: \(isMet ? "met" : "**missed**")"
        )
    }

    /// One check with the right passcode, in nanoseconds.
    private func check(_ service: PasscodeService) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        guard case .right = try await service.verify(Self.right) else {
            throw ValidationError("The passcode is right.")
        }
        return (clock.now - start) / .nanoseconds(1)
    }

    /// A passcode in the chip, whose record is in memory: neither a disk nor a cipher of a store is measured.
    private static func service(_ address: TPMAddress) throws -> PasscodeService {
        let scope = SecretBytes(randomCount: 16).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return try PasscodeService(
            user: .device,
            backends: Backends(
                secrets: InMemorySecretStore(),
                sealer: TPMPasscodeSealer(TPMConfiguration(address: address, scope: scope)),
                clock: SystemClock()
            ),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Benchmark", throttle: .unlimited)
        )
    }
}

/// The program that does the same by libgcrypt and tpm2-tss.
private struct Peer {
    private let input = Pipe()
    private let output = Pipe()

    init(_ path: String, _ tcti: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = [tcti]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try line() == "ready" else { throw ValidationError("\(path) does not begin.") }
    }

    /// The nanoseconds of a derivation, of the commands, and of connecting.
    func check() throws -> [Double] {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        let numbers = try line().split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 3 else { throw ValidationError("The program beside ours failed.") }
        return numbers
    }

    private func line() throws -> String {
        var bytes: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
