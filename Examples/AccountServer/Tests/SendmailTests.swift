import AccountService
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import account_server

@Suite("SendmailNotifier", .timeLimit(.minutes(2)))
struct SendmailTests {
    private let clock = ManualClock()

    private func notifier(_ command: String) throws -> SendmailNotifier {
        let address = try #require(MailAddress("anna@example.com"))
        return SendmailNotifier(
            recipient: address,
            sender: address,
            command: command,
            clock: clock,
            delay: { .milliseconds(300) }
        )
    }

    /// Sends a mail; its value is the error.
    private func sending(by notifier: SendmailNotifier) -> Task<NotifierError?, Never> {
        Task {
            do throws(NotifierError) {
                try await notifier.deliver(LockNotification(id: "code", title: "Code", body: "1"), at: nil)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("P-52: a mail goes out once its delay has passed, and not before")
    func delay() async throws {
        // It fails where it is run.
        let notifier = try notifier("/nowhere/sendmail")
        let sending = sending(by: notifier)
        await clock.waitForSleepers(1)
        await clock.advance(by: .milliseconds(299))
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: .milliseconds(1))
        #expect(await sending.value?.message == "/nowhere/sendmail cannot be run")
    }

    @Test("P-52: a mail whose task is cancelled while it waits is not sent")
    func cancelled() async throws {
        let notifier = try notifier("/nowhere/sendmail")
        let sending = sending(by: notifier)
        await clock.waitForSleepers(1)
        sending.cancel()
        #expect(await sending.value?.message == "the mail was not sent before the end")
    }
}
