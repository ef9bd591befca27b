import PortcullisCore
import PortcullisTesting
import Synchronization

/// A right authenticator whose answers are written down.
struct TranscribedBiometrics: BiometricAuthenticator, CustomStringConvertible {
    let inner: FaultyBiometrics
    let transcript: Transcript
    let number: Int

    /// - Parameter tellsPrompts: whether what a reader is shown is written down; not where it depends on the order of
    ///   tasks.
    static func subject(_ transcript: Transcript, tellsPrompts: Bool = true) -> BiometricAuthenticatorSubject
    {
        BiometricAuthenticatorSubject {
            let current = Mutex(FaultyBiometrics(.none))
            let opened = Opened(current)
            @Sendable func step(_ text: String, _ work: (FaultyBiometrics) -> Void) {
                transcript.note(text)
                work(opened.now)
            }
            return .init(
                authenticator: Self(inner: opened.now, transcript: transcript, number: 1),
                reader: .init(
                    prompt: { opened.now.prompt },
                    present: { event in
                        if tellsPrompts { transcript.note("present \(event.rawValue)") }
                        opened.now.present(event)
                    },
                    give: { hint in
                        transcript.note("give \(hint.name)")
                        opened.now.give(hint)
                    },
                    failuresToLockOut: FaultyBiometrics.failuresToLockOut
                ),
                setSwitchedOn: { isOn in step("switch \(isOn ? "on" : "off")") { $0.setSwitchedOn(isOn) } },
                changeEnrolment: { step("change the enrolment") { $0.changeEnrolment() } },
                clearEnrolment: { step("clear the enrolment") { $0.clearEnrolment() } },
                enterPasscode: { step("enter the passcode") { $0.enterPasscode() } },
                letPass: { time in step("let \(time) pass") { $0.letPass(time) } },
                failNext: { step("fail next") { $0.failNext() } },
                reopen: {
                    transcript.note("reopen")
                    return Self(inner: opened.reopen(), transcript: transcript, number: 2)
                }
            )
        }
    }

    /// The authenticator that is open now.
    private final class Opened: Sendable {
        private let current: Mutex<FaultyBiometrics>
        init(_ current: consuming sending Mutex<FaultyBiometrics>) { self.current = current }

        var now: FaultyBiometrics { current.withLock { $0 } }

        func reopen() -> FaultyBiometrics {
            current.withLock { current in
                current = FaultyBiometrics(.none, from: current)
                return current
            }
        }
    }

    var description: String { "authenticator" }

    func availability(for user: UserID) async -> BiometricAvailability {
        let found = await inner.availability(for: user)
        var others: [(String, BiometricAvailability)] = []
        func add(_ text: String, _ change: (inout BiometricAvailability) -> Void) {
            var other = found
            change(&other)
            others.append((text, other))
        }
        add("another state") { $0.state = $0.state == .available ? .lockedOut : .available }
        add("no kind") { $0.kind = .none }
        add("no name") { $0.kind = BiometricKind(displayName: "", symbolName: "touchid") }
        add("no symbol") { $0.kind = BiometricKind(displayName: "Finger", symbolName: "") }
        add("another digest") { $0.enrolmentDigest = [77] }
        add("no digest") { $0.enrolmentDigest = nil }
        add("another binding") { $0.binding = .assertion }
        let text = "\(found.state) \(found.enrolmentDigest ?? [])"
        return transcript.answer("\(number) availability for \(user)", found, as: text, or: others)
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        try await change("\(number) enroll \(Self.text(key)) for \(user)") { () throws(BiometricError) in
            try await inner.enroll(key, for: user)
        }
    }

    func forget(_ user: UserID) async throws(BiometricError) {
        try await change("\(number) forget \(user)") { () throws(BiometricError) in
            try await inner.forget(user)
        }
    }

    private func change(
        _ question: String,
        _ work: () async throws(BiometricError) -> Void
    ) async throws(BiometricError) {
        try await transcript.call(
            question,
            as: { "done" },
            or: { result in
                result.others(
                    BiometricError(code: .systemFailure, message: "bent"),
                    BiometricError(code: .enrolmentChanged, message: "contract-key-")
                )
            },
            work
        )
    }

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        let outcome = await inner.authenticate(
            user: user,
            reason: reason,
            fallbackTitle: fallbackTitle,
            hint: hint
        )
        var others: [BiometricOutcome] = [
            .passcodeChosen, .cancelled(by: .user), .cancelled(by: .app), .cancelled(by: .system),
            .failed(message: "Not the owner"), .failed(message: ""), .notAvailable, .notEnrolled, .lockedOut,
            .success(key: nil), .success(key: SecretBytes(copying: "another".utf8)),
        ]
        // A key in a message, in the notations that a log would show it in.
        if case .failed = outcome {
            others += [
                "contract-key-", "636f6e74726163742d6b6579", "636F6E74726163742D6B6579", "Y29udHJhY3Qta2V5",
                "99, 111, 110, 116, 114, 97, 99, 116, 45, 107, 101, 121",
            ].map { .failed(message: $0) }
        }
        others.removeAll { Self.text($0) == Self.text(outcome) }
        return transcript.answer(
            "\(number) authenticate \(user) by \(fallbackTitle)",
            outcome,
            as: Self.text(outcome),
            or: others.map { (Self.text($0), $0) }
        )
    }

    private static func text(_ outcome: BiometricOutcome) -> String {
        switch outcome {
        case .success(let key): "success \(key.map(text) ?? "without a key")"
        case .passcodeChosen: "passcode chosen"
        case .cancelled(.user): "cancelled by the user"
        case .cancelled(.app): "cancelled by the app"
        case .cancelled(.system): "cancelled by the system"
        case .failed(let message): "failed \"\(message)\""
        case .notAvailable: "not available"
        case .notEnrolled: "not enrolled"
        case .lockedOut: "locked out"
        }
    }

    private static func text(_ key: SecretBytes) -> String {
        key.withBytes { bytes in
            "key \(bytes.indices.reduce(0 as UInt32) { $0 &* 31 &+ UInt32(bytes[$1]) })"
        }
    }
}
