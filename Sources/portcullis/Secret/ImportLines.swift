internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore
internal import SealedSession
internal import TerminalHost

struct ImportLines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-lines",
        abstract: "Keep many values: lines of {\"name\",\"value\"} on standard input, values in base64.",
        discussion: """
            Each line is one commit; with --batch all lines are one, all or nothing: at most 512 MiB, \
            with some 500 bytes counted for each line, and no name twice. With --json each name is written once its \
            value is durable.
            """
    )

    @OptionGroup var options: ItemOptions
    @Flag(help: "One commit for all lines.") var batch = false
    @Flag(help: "Keep values of no bytes, which are refused else.") var allowEmpty = false
    @Option(help: ArgumentHelp("When the items can be read.", valueName: "class"))
    var accessibility = AccessibilityArgument(.whenUnlocked)

    func run() async throws {
        let input = SecretInput()
        let credential = try await options.store.credential(createsIfMissing: true)
        try await options.perform(with: credential, createsIfMissing: true) { store in
            var collected = LineBatch()
            var number = 0
            while let line = try await input.record() {
                number += 1
                let change = try parse(line, number)
                if batch {
                    do throws(LineBatch.Refusal) { try collected.add(change) } catch {
                        throw Self.failure(error, line: number)
                    }
                } else {
                    _ = try await store.commit([change])
                    try report(change)
                }
            }
            guard batch else { return }
            _ = try await store.commit(collected.changes)
            for change in collected.changes { try report(change) }
        }
    }

    private func report(_ change: SecretChange) throws {
        if options.json { try StandardOutput.write(json: SecretReport(name: change.name.name)) }
    }

    private func parse(_ line: SecretBytes, _ number: Int) throws -> SecretChange {
        guard let decoded = ItemLine(line) else {
            throw refusal("line \(number) is not {\"name\",\"value\"} with a value in base64", at: number)
        }
        // An empty value may come from a program that failed. So the value is refused, as in `secret set`.
        guard decoded.value.count > 0 || allowEmpty else {
            throw refusal("line \(number): the value is empty; --allow-empty keeps empty ones", at: number)
        }
        let name: SecretName
        do { name = try options.name(decoded.name) } catch {
            throw refusal("line \(number): \(ToolFailure(error)?.message ?? "not a name")", at: number)
        }
        return .write(decoded.value, to: name, accessibility: accessibility.accessibility, if: .none)
    }

    /// Makes the failure for a bad line. The message also says whether earlier lines were kept.
    private func refusal(_ message: String, at line: Int) -> ToolFailure {
        if batch { return ToolFailure("\(message); nothing was kept", .usage) }
        return ToolFailure(line == 1 ? message : "\(message); the lines before it are kept", .usage)
    }

    private static func failure(_ refusal: LineBatch.Refusal, line number: Int) -> ToolFailure {
        switch refusal {
        case .twice: ToolFailure("line \(number): the name is there twice, and nothing was kept", .usage)
        case .tooMuch: ToolFailure("line \(number): one batch takes no more, and nothing was kept", .usage)
        }
    }
}
