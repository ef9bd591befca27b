internal import PasscodeLock
internal import PortcullisCore

/// A diary behind a passcode. It knows the ports and no adapter.
actor Diary {
    /// The reason why something was not done.
    enum Refusal: Error {
        case locked
    }

    private let service: PasscodeService
    private let store: any SecretStore
    private let space: SecretNamespace
    /// Whether the diary is open. Without a passcode there is no way to open it, so it begins locked.
    private var isOpen = false

    init(_ backends: Backends) throws {
        service = try PasscodeService(
            user: .device,
            backends: backends,
            session: FixedSession(),
            configuration: PasscodeConfiguration(appName: "Diary")
        )
        store = backends.secrets
        space = try SecretNamespace("diary")
    }

    /// Sets the first passcode. From then on the reader unlocks too, if there is one.
    func setPasscode(_ passcode: SecretBytes) async throws {
        try await service.set(passcode)
        isOpen = true
        if try await service.biometrics().canEnable { _ = try await service.enableBiometrics(passcode) }
    }

    func unlock(_ passcode: SecretBytes) async throws -> PasscodeAnswer {
        let answer = try await service.verify(passcode)
        if answer.isRight { isOpen = true }
        return answer
    }

    func unlockByTouch() async throws -> BiometricAnswer {
        let answer = try await service.authenticate()
        if case .unlocked = answer { isOpen = true }
        return answer
    }

    func lock() { isOpen = false }

    func add(_ entry: String) async throws {
        guard isOpen else { throw Refusal.locked }
        var number = try await store.names(in: space).count
        var outcome: WriteOutcome
        repeat {
            number += 1
            // Another process may have taken the number meanwhile.
            outcome = try await store.write(
                SecretBytes(copying: entry.utf8),
                to: name(number),
                accessibility: .whenUnlocked,
                if: .absent
            )
        } while !outcome.isWritten
    }

    func entries() async throws -> [String] {
        guard isOpen else { throw Refusal.locked }
        var entries: [String] = []
        for name in try await store.names(in: space) {
            guard let stored = try await store.read(name) else { continue }
            entries.append(
                stored.value.withBytes { bytes in
                    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                }
            )
        }
        return entries
    }

    /// Names are sorted as text, so the number has leading zeros.
    private func name(_ number: Int) throws -> SecretName {
        try SecretName(String(String(1_000_000 + number).dropFirst()), in: space)
    }
}

extension WriteOutcome {
    fileprivate var isWritten: Bool { if case .written = self { true } else { false } }
}
