internal import AccountService
internal import Foundation
internal import PortcullisCore

/// Mails notifications to one address through the system's `sendmail` command.
///
/// The message goes to the command's standard input. The address is a separate argument after `--`. A
/// ``MailAddress`` cannot begin with `-` or contain a line break, so it is not taken for an option and does
/// not end a field. A title loses all characters outside ASCII. A body is UTF-8.
struct SendmailNotifier: Notifier {
    let recipient: MailAddress
    let sender: MailAddress
    /// The command's path.
    let command: String
    let clock: any LockClock

    func requestAuthorization() async -> Bool { true }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        let status: Int32
        do { status = try await run(Array(message(notification).utf8)) } catch is MailCommand.TimedOut {
            throw NotifierError(code: .systemFailure, message: "\(command) was not over after a minute")
        } catch {
            throw NotifierError(code: .systemFailure, message: "\(command) cannot be run")
        }
        guard status == 0 else {
            throw NotifierError(code: .systemFailure, message: "\(command) ended with \(status)")
        }
    }

    func withdraw(_ ids: Set<String>) async {}

    /// The message in the format of RFC 5322.
    func message(_ notification: LockNotification) -> String {
        let subject = notification.title.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }
        let date = Date(timeIntervalSince1970: clock.now.wall / .seconds(1))
            .formatted(
                .verbatim(
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000",
                    locale: Locale(identifier: "en_US_POSIX"),
                    timeZone: .gmt,
                    calendar: Calendar(identifier: .gregorian)
                )
            )
        let lines = [
            "From: \(sender)", "To: \(recipient)", "Subject: \(String(String.UnicodeScalarView(subject)))",
            "Date: \(date)", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit", "Auto-Submitted: auto-generated", "", notification.body, "",
        ]
        return lines.joined(separator: "\n")
    }

    private func run(_ input: [UInt8]) async throws -> Int32 {
        // -i: a line of one dot does not end the message.
        let arguments = ["-i", "-f", sender.text, "--", recipient.text]
        let command = MailCommand(path: command, arguments: arguments, clock: clock)
        return try await command.run(input)
    }
}
