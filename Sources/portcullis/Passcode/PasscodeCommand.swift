internal import ArgumentParser
internal import PasscodeLock
internal import TerminalHost

/// `portcullis passcode …`: the passcode in the store.
struct PasscodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        _superCommandName: "portcullis",
        abstract: "Set, verify, change and remove a passcode.",
        discussion: """
            Passcodes have six digits. They are asked for at a hidden prompt, or read as lines from standard \
            input when that is not a terminal; they are never arguments.

            With --tpm the machine's TPM 2.0 counts wrong passcodes, whatever is copied, restored or killed. The \
            record says which TPM of the machine that is; a TPM elsewhere is named each time.

            A limit of wrong passcodes that an app has set holds here too. After it none is tried, and nothing \
            is removed: the app signs out, and may erase, when a passcode is next entered there. Ways past it \
            are `recover` with a recovery passphrase and, for App Lock, `portcullis focus release --force`.

            \(StorePlaces.shown)
            """,
        subcommands: [Set.self, Verify.self, Change.self, Recover.self, Remove.self, Status.self]
    )
}

extension PasscodeCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set the first passcode."
        )

        @OptionGroup var options: PasscodeOptions
        @Option(help: "What wrong passcodes lead to: escalating delays, or nothing (unlimited).")
        var throttle = ThrottleName.escalating
        @OptionGroup var new: NewSealOptions

        func run() async throws {
            try new.demand(options.store)
            try await options.perform(createsIfMissing: true) { context in
                var context = context
                if try await context.status()?.isSet == true {
                    // This check comes before the prompt, because a new passcode would be refused.
                    throw ToolFailure(
                        "a passcode is set already: `portcullis passcode change` changes it",
                        .usage
                    )
                }
                if options.store.tpm != nil { try await context.sealInChip(new) }
                let passcode = try await context.newPasscode(prompt: "New passcode")
                try await context.set(passcode, throttle: throttle.policy)
                return .done("Passcode set.", PasscodeReport(result: "set"))
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Check a passcode: exit status 0 when it is right.",
            aliases: ["check"]
        )

        @OptionGroup var options: PasscodeOptions

        func run() async throws {
            try await options.perform { context in
                let passcode = try await context.input.line(prompt: "Passcode")
                return try await context.outcome(
                    of: try await context.service().verify(passcode),
                    done: "Right passcode.",
                    result: "right"
                )
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Change the passcode: the current one first, then the new one.",
            discussion:
                "With --tpm a passcode that is in no TPM is moved into it; others stay where they are."
        )

        @OptionGroup var options: PasscodeOptions
        @OptionGroup var new: NewSealOptions

        func run() async throws {
            try new.demand(options.store)
            try await options.perform { context in
                var context = context
                if options.store.tpm != nil {
                    let isInChip = try await context.isInChip()
                    try new.demand(options.store, isInChip: isInChip)
                    if !isInChip { try await context.sealInChip(new) }
                }
                if context.input.isTerminal, let refusal = try await context.refusalToAsk() { return refusal }
                let current = try await context.input.line(prompt: "Current passcode")
                if context.input.isTerminal {
                    let answer = try await context.service().verify(current)
                    guard case .right = answer else {
                        return try await context.outcome(of: answer, done: "", result: "")
                    }
                }
                let new = try await context.newPasscode(prompt: "New passcode")
                let answer = try await context.change(from: current, to: new)
                return try await context.outcome(of: answer, done: "Passcode changed.", result: "changed")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract:
                "Remove the passcode and all that belongs to it; a store sealed under it is unsealed first.",
            aliases: ["rm"]
        )

        @OptionGroup var options: PasscodeOptions

        func run() async throws {
            try await options.perform { context in
                let current = try await context.input.line(prompt: "Current passcode")
                let answer = try await context.remove(current)
                return try await context.outcome(of: answer, done: "Passcode removed.", result: "removed")
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Tell whether a passcode is set, how many tries failed and how long to wait."
        )

        @OptionGroup var options: PasscodeOptions

        func run() async throws {
            try await options.perform(missing: .status(nil, nil)) { context in
                let service = try await context.service()
                return .status(try await service.status(), await HardwareReport(service))
            }
        }
    }
}
