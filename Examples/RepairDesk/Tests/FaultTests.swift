#if os(Linux)
import ExampleSupport
import Glibc
import Testing

/// Faults of a server while a person uses the desk.
@Suite("RepairDesk and its server", .serialized, .timeLimit(.minutes(10)))
struct FaultTests {
    private let folder: TemporaryFolder
    private let server: ScriptedServer

    init() throws {
        folder = try TemporaryFolder()
        server = try ScriptedServer()
    }

    private func start(columns: Int = 100, rows: Int = 30) throws -> DeskRun {
        try DeskRun(home: folder.url, ["--server", server.address], columns: columns, rows: rows)
    }

    @Test("P-40: a session that ended elsewhere leads to the login when the desk comes to the front")
    func endedElsewhere() async throws {
        let desk = try start()
        try await desk.reachDashboard()
        server.answer("session", .json(401, "{}"))
        desk.lookAway()
        try await desk.wait(for: "Staff Login")
        #expect(desk.text.contains("Your session has ended. Sign in again."))
    }

    @Test("P-40: a session that ended elsewhere leaves no lock of the signed-out person over the login")
    func endedWhileLocked() async throws {
        let desk = try start()
        try await desk.reachDashboardWithPasscode()
        try await desk.lock()
        server.answer("session", .json(401, "{}"))
        desk.lookAway()
        try await desk.wait(for: "Staff Login")
        // After another sign-in the same lock is there.
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        try await desk.logIn()
        try await desk.wait(for: "Enter Passcode")
        #expect(!desk.text.contains("Bicycle"))
    }

    @Test("P-40: an account that is put aside while the desk runs goes to quarantine, and comes back")
    func quarantinedMeanwhile() async throws {
        do {
            let desk = try start()
            try await desk.reachDashboard()
            let put = #"{"id": "anna", "role": "staff", "quarantine": "Ask \u001b[31m\u202eDora."}"#
            server.answer("session", .json(200, put))
            desk.focus(false)
            desk.focus(true)
            try await desk.wait(for: "Your account was put aside")
            // Characters that would control the terminal or reverse the text are shown as the replacement
            // character.
            #expect(desk.text.contains("Ask \u{FFFD}[31m\u{FFFD}Dora."))
            desk.end(by: SIGTERM)
        }
        // Without a connection the desk still knows the quarantine.
        server.answer("session", .silence)
        let desk = try start()
        try await desk.wait(for: "Your account was put aside")
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        desk.lookAway()
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-40: an account that comes back while a question is open is offered a passcode")
    func backDuringQuestion() async throws {
        let anna = #"{"id": "anna", "role": "staff", "quarantine": "Ask Dora."}"#
        server.answer("sign-in", .json(200, #"{"token": "t0ken", "user": \#(anna)}"#))
        server.answer("session", .json(200, anna))
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.logIn()
        try await desk.wait(for: "Your account was put aside")
        desk.click("[ Sign Out Everywhere ]")
        try await desk.wait(for: "Sign Out Everywhere?")
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        desk.lookAway()
        try await desk.wait(for: "Set up later")
        desk.type("\t\r")
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-51: a server that is gone at the first login is told of, and the login stays")
    func goneAtLogin() async throws {
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.wait(for: "Mail address:")
        server.stop()
        desk.type("anna@example.com\r")
        try await desk.wait(for: "The server cannot be reached.")
        #expect(desk.text.contains("Staff Login"))
    }

    @Test("P-40: what the server says late of one person is not taken for the next one")
    func lateAnswer() async throws {
        let desk = try start()
        try await desk.reachDashboard()
        server.answer("session", .held(200, #"{"id": "anna", "role": "staff", "quarantine": "Away."}"#))
        desk.lookAway()
        try await server.wait(for: "session")
        try await desk.wait(for: "Bicycle")
        desk.type("3")
        try await desk.wait(for: "Lock Now")
        desk.click("Sign Out")
        try await desk.wait(for: "Staff Login")
        server.answer(
            "sign-in",
            .json(200, #"{"token": "0ther", "user": {"id": "carl", "role": "customer"}}"#)
        )
        server.answer("session", .json(200, #"{"id": "carl", "role": "customer"}"#))
        try await desk.logIn()
        try await desk.wait(for: "Your Repairs")
        let asked = server.count("session")
        // Later questions get an error, which would not correct a wrong state. By the third, the late answer
        // was read.
        server.answer("session", .json(500, "{}"))
        server.release()
        for number in 1...3 {
            desk.lookAway()
            try await server.wait(for: "session", count: asked + number)
        }
        try await desk.wait(for: "Your Repairs")
        #expect(!desk.text.contains("put aside"))
    }

    @Test("P-9: what one server told is not sent to another")
    func servers() async throws {
        do {
            let desk = try start()
            try await desk.reachDashboard()
            desk.end(by: SIGTERM)
        }
        let other = try ScriptedServer()
        let desk = try DeskRun(home: folder.url, ["--server", other.address])
        try await desk.wait(for: "I work here")
        #expect(other.count("session") == 0 && other.count("passcode-status") == 0)
    }

    @Test("P-50: a sign-in is not carried on to another server")
    func redirected() async throws {
        let other = try ScriptedServer()
        server.answer("sign-in", .elsewhere("\(other.address)/api/auth/sign-in"))
        let desk = try start()
        try await desk.wait(for: "I work here")
        desk.type("\r")
        try await desk.logIn()
        try await desk.wait(for: "The server answered 307.")
        #expect(other.count("sign-in") == 0)
    }

    @Test("P-40: every word and button can be reached in a small window")
    func small() async throws {
        let desk = try start(columns: 40, rows: 12)
        try await desk.reachDashboard()
        desk.type(String(repeating: "\t", count: 3))
        try await desk.wait(for: "Sewing machine")
        let long = "Your contract has ended, and the keys to the workshop are still with you. Bring them."
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff", "quarantine": "\#(long)"}"#))
        desk.lookAway()
        try await desk.wait(for: "put aside")
        #expect(desk.words.contains(long))
        #expect(desk.words.contains("Sign Out"))
    }

    @Test("P-20: stopped, it gives the terminal back, and takes it again when the shell continues it")
    func stopped() async throws {
        let desk = try DeskRun(home: folder.url, ["--server", server.address], isJob: true)
        try await desk.reachDashboard()
        let app = desk.front
        #expect(app != desk.process)
        for stop in [{ desk.type("\u{1A}") }, { _ = kill(app, SIGTSTP) }] {
            stop()
            try await desk.wait("a stopped process, and the shell") { _ in
                ProcessState.isStopped(app) && desk.front == desk.process
            }
            // The app empties the terminal before it stops. The test may read this only later.
            try await desk.wait("an empty terminal") { $0.allSatisfy(\.isWhitespace) }
            desk.type("\n")
            try await desk.wait(for: "Bicycle")
        }
    }

    @Test(
        "P-20: as the program of the window, which nothing could continue, it goes on when it is to stop",
        arguments: [true, false]
    )
    func goesOn(byKey: Bool) async throws {
        let desk = try start()
        try await desk.reachDashboard()
        // With this answer, the login shows that the desk came to the front again.
        server.answer("session", .json(401, "{}"))
        if byKey { desk.type("\u{1A}") } else { desk.send(SIGTSTP) }
        try await desk.wait(for: "Staff Login")
        server.answer("session", .json(200, #"{"id": "anna", "role": "staff"}"#))
        try await desk.logIn()
        try await desk.wait(for: "Bicycle")
    }

    @Test("P-30: without Unicode, no page or screen writes a character beyond ASCII")
    func plain() async throws {
        let desk = try DeskRun(home: folder.url, ["--server", server.address], locale: "C")
        try await desk.reachDashboard()
        desk.type("3\r")
        try await desk.wait(for: "Done")
        #expect(desk.isASCII)
    }
}
#endif
