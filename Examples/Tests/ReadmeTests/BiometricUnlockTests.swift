import Testing

/// What FakeBiometricUnlock promises beyond the runs that its README shows.
@Suite("FakeBiometricUnlock", .timeLimit(.minutes(5)))
struct BiometricUnlockTests {
    private static let fiveFailures = "no-match no-match no-match no-match no-match"
    private static let pressedOften =
        #"biometrics\nbiometrics\nbiometrics\nbiometrics\nbiometrics\nbiometrics\n"#

    @Test("P-12: after a lock-out a finger that matches opens nothing, the passcode does")
    func lockOut() async throws {
        let scratch = try ScratchFolder()
        func run(_ typed: String, _ outcomes: String) async throws -> [String] {
            try await scratch.run("printf '\(typed)' | swift run fake-biometric-unlock \(outcomes)")
        }
        let locked = try await run(Self.pressedOften, "\(Self.fiveFailures) match match")
        #expect(locked.last == "Still locked.")
        #expect(locked.count { $0.hasPrefix("(Fingerprint") } == 5)

        let wrong = try await run(Self.pressedOften + #"111111\n"#, "\(Self.fiveFailures) match")
        #expect(wrong.suffix(2) == ["Incorrect passcode", "Still locked."])
        let right = try await run(Self.pressedOften + #"834912\n"#, "\(Self.fiveFailures) match")
        #expect(right.last == "Unlocked.")
    }

    @Test(
        "P-32: nothing but a match or the passcode opens",
        arguments: [
            ("", "no-match", false), ("", "cancel", false), ("", "passcode", false), ("", "", false),
            ("", "--enrolled nobody match", false), ("", "--enrolled another match", false),
            (#"111111\n"#, "cancel", false), ("", "match", true), (#"834912\n"#, "cancel", true),
        ]
    )
    func outcomes(typed: String, outcomes: String, opens: Bool) async throws {
        let printed = try await ScratchFolder()
            .run("printf '\(typed)' | swift run fake-biometric-unlock \(outcomes)")
        #expect(printed.last == (opens ? "Unlocked." : "Still locked."))
    }
}
