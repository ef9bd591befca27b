internal import PasscodeLock
internal import PortcullisCore

/// The conversation of a person and the diary: each line gets an answer.
struct Conversation {
    let diary: Diary

    func answer(to line: String) async -> [String] {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        do {
            return try await answer(words.first ?? "", rest)
        } catch Diary.Refusal.locked {
            return ["The diary is locked."]
        } catch let error as PasscodeError {
            return ["Not done: \(error.message)"]
        } catch let error as SecretStoreError {
            return ["Not done: \(error.message)"]
        } catch {
            return ["Not done: \(error)"]
        }
    }

    private func answer(_ verb: String, _ rest: String) async throws -> [String] {
        switch verb {
        case "passcode":
            try await diary.setPasscode(SecretBytes(copying: rest.utf8))
            return ["The passcode is set."]
        case "unlock": return [Self.text(try await diary.unlock(SecretBytes(copying: rest.utf8)))]
        case "touch": return [Self.text(try await diary.unlockByTouch())]
        case "lock":
            await diary.lock()
            return ["Locked."]
        case "write":
            try await diary.add(rest)
            return ["Written."]
        case "read":
            let entries = try await diary.entries()
            return entries.isEmpty ? ["Nothing is written yet."] : entries.map { "· \($0)" }
        default: return ["passcode 834912, unlock 834912, touch, write TEXT, read, lock"]
        }
    }

    private static func text(_ answer: PasscodeAnswer) -> String {
        switch answer {
        case .right: "Unlocked."
        case .wrong(_, .zero): "Wrong passcode."
        case .wrong(_, let delay), .throttled(let delay): "Try again in \(delay.components.seconds) s."
        case .limitReached, .triesExhausted: "Too many failures."
        case .notSet: "There is no passcode yet."
        }
    }

    private static func text(_ answer: BiometricAnswer) -> String {
        switch answer {
        case .unlocked: "Unlocked."
        case .ended(.failed(let message)): "\(message)."
        case .ended(.lockedOut): "Too many failures: the passcode, please."
        case .ended, .passcodeNeeded: "The passcode, please."
        }
    }
}
