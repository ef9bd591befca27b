internal import AdapterKit
internal import ArgumentParser
internal import CommandCompletion
internal import Dispatch
internal import LinuxSystem
internal import PortcullisCore

/// The command-line tool. It uses the library with the adapters for Linux.
@main
struct Portcullis: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portcullis",
        abstract: """
            A passcode lock for terminal programs, App Lock until a goal is reached, an encrypted keystore, and cron \
            expressions.
            """,
        discussion: "`portcullis --version --verbose` also tells what it was built from and with.",
        version: ToolVersion.line,
        subcommands: subcommands
    )

    #if os(Linux)
    static let subcommands: [any ParsableCommand.Type] = [
        CompletionsCommand.self, FocusCommand.self, Guard.self, PasscodeCommand.self, ScheduleCommand.self,
        SecretCommand.self,
    ]
    #else
    // The focus commands are left out, because the tool can stop programs only on Linux.
    static let subcommands: [any ParsableCommand.Type] = [
        CompletionsCommand.self, Guard.self, PasscodeCommand.self, ScheduleCommand.self, SecretCommand.self,
    ]
    #endif

    /// Writes a help text. Returns the exit status if the write fails; `nil` if it succeeds.
    private static func help(_ text: String) -> ToolExit? {
        do throws(ToolFailure) {
            try StandardOutput.write(line: text)
            return nil
        } catch {
            StandardError.write("portcullis: \(error.message)")
            return error.exit
        }
    }

    static func main() {
        CrashReports.leaveToSystem()
        do {
            try Descriptors.fillStandardStreams()
            ChildStatuses.keep()
            try Arguments.demandText()
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.sorted() == ["--verbose", "--version"] {
                return try StandardOutput.write(line: ToolBuild.lines.joined(separator: "\n"))
            }
            if arguments == ["--help"] { return try StandardOutput.write(line: helpMessage()) }
            let command = try Self.command(of: arguments)
            try DescriptorLimit.demand(orFailWith: command is Guard ? .guardFailed : .refused)
            try run(command)
        } catch { exit(after: error) }
    }

    /// Runs a command. Ends the process if the command is asynchronous and not a ``StoreCommand``.
    private static func run(_ command: any ParsableCommand) throws {
        guard let asynchronous = command as? any AsyncParsableCommand else {
            var command = command
            return try command.run()
        }
        // The compiler cannot see that only one of the two tasks below uses the command.
        nonisolated(unsafe) var command = asynchronous
        if asynchronous is any StoreCommand {
            return try CallingThread.run { try await OpenStores.watch { try await unsafe command.run() } }
        }
        Task {
            do { try await OpenStores.watch { try await unsafe command.run() } } catch { exit(after: error) }
            exit(withError: nil)
        }
        dispatchMain()
    }

    /// Ends the process with the message and the exit status of an error.
    private static func exit(after error: any Error) -> Never {
        do {
            throw error
        } catch let exit as ToolExit {
            Self.exit(withError: ExitCode(exit.rawValue))
        } catch let code as ExitCode {
            Self.exit(withError: code)
        } catch {
            // A completion writes no message, because the message would appear in the line that the person is
            // typing.
            if Arguments.isCompletion, exitCode(for: error) != .success {
                Self.exit(withError: ExitCode.failure)
            }
            if let failure = ToolFailure(error) {
                StandardError.write("portcullis: \(failure.message)")
                Self.exit(withError: ExitCode(failure.exit.rawValue))
            }
            // The error comes from the argument parser. Usage errors exit with 2, requests for help with 0.
            guard exitCode(for: error) != .success else {
                Self.exit(withError: ExitCode(help(fullMessage(for: error))?.rawValue ?? 0))
            }
            StandardError.write(fullMessage(for: error))
            Self.exit(withError: ExitCode(ToolExit.usage.rawValue))
        }
    }
}
