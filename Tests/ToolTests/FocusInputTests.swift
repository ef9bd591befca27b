import Foundation
import Glibc
import Testing

/// What `focus` is asked, looked at before anything is done.
@Suite("focus: what is asked", .serialized)
struct FocusInputTests {
    private static let rows: [(String, [String], String)] = [
        ("a goal of nothing", ["--goal", "0", "--progress-stdin", "--app", "toy"], "above zero"),
        ("a goal below zero", ["--goal=-5", "--progress-stdin", "--app", "toy"], "above zero"),
        ("a goal that is no number", ["--goal", "nan", "--progress-stdin", "--app", "toy"], "above zero"),
        ("a goal without end", ["--goal", "inf", "--progress-stdin", "--app", "toy"], "above zero"),
        ("a word for a goal", ["--goal", "many", "--progress-stdin", "--app", "toy"], "many"),
        ("no goal", ["--progress-stdin", "--app", "toy"], "--goal"),
        ("no source", ["--goal", "5", "--app", "toy"], "name one of"),
        (
            "two sources", ["--goal", "5", "--progress-stdin", "--progress-file", "x", "--app", "toy"],
            "name one of"
        ),
        ("an empty command", ["--goal", "5", "--progress", " ", "--app", "toy"], "empty"),
        (
            "too often", ["--goal", "5", "--progress-file", "x", "--every", "10ms", "--app", "toy"],
            "at least 1s"
        ),
        ("a late day", ["--goal", "5", "--progress-stdin", "--day-start", "06:01", "--app", "toy"], "06:00"),
        ("no time", ["--goal", "5", "--progress-stdin", "--day-start", "25:00", "--app", "toy"], "25:00"),
        ("nothing chosen", ["--goal", "5", "--progress-stdin"], "focus apps"),
        ("an unknown app", ["--goal", "5", "--progress-stdin", "--app", "no\u{1B}[2Jsuch"], "focus apps"),
        (
            "no such program", ["--goal", "5", "--progress-stdin", "--app", "/no/such/program"],
            "/no/such/program"
        ),
        (
            "a file that is no program", ["--goal", "5", "--progress-stdin", "--app", "/etc/passwd"],
            "/etc/passwd"
        ),
        ("a shell", ["--goal", "5", "--progress-stdin", "--app", "/bin/sh"], "never shut: it is a shell"),
        (
            "another shell", ["--goal", "5", "--progress-stdin", "--app", "/bin/bash"],
            "'/bin/bash' is never shut: it is a shell"
        ),
        ("no name", ["--goal", "5", "--progress-stdin", "--app", ""], "there is no app ''"),
        ("no category", ["--goal", "5", "--progress-stdin", "--category", ""], "there is no category ''"),
        (
            "a category with nothing in it",
            ["--goal", "5", "--progress-stdin", "--app", "toy", "--category", "Education"],
            "category 'Education' cannot be shut: no app of this category is installed"
        ),
        (
            "nobody by number", ["--goal", "5", "--progress-stdin", "--app", "toy", "--user", "4294967295"],
            "no user '4294967295'"
        ),
        ("an app that is a shell", ["--goal", "5", "--progress-stdin", "--app", "shell"], "never shut"),
        ("an unknown category", ["--goal", "5", "--progress-stdin", "--category", "Nonsense"], "focus apps"),
        (
            "nobody", ["--goal", "5", "--progress-stdin", "--app", "toy", "--user", "no-such-user"],
            "no-such-user"
        ),
        (
            "one input for two",
            ["--goal", "5", "--progress-stdin", "--app", "toy", "--passphrase-file", "-"], "standard input"
        ),
    ]

    @Test("A-4, A-5: what makes no sense is refused with 2 and says why, and makes no store", arguments: rows)
    func refused(_ row: (name: String, words: [String], says: String)) async throws {
        let home = try FocusHome()
        try home.add("shell", name: "Shell", exec: "/bin/sh", categories: "System;")
        let run = try FocusChild(home, ["focus", "run"] + row.words)
        run.closeInput()
        #expect(try await run.end() == 2, "\(row.name)")
        #expect(run.errors.contains(row.says), "\(row.name): \(run.errors)")
        #expect(!run.errors.contains("\u{1B}"))
        #expect(run.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: home.store.path))
    }

    @Test("A-11: a progress command never runs as root", .enabled(if: geteuid() == 0))
    func root() async throws {
        let home = try FocusHome()
        let mark = home.home.appending(path: "mark").path
        for user in [[], ["--user", "root"], ["--account", "root"]] {
            let words = [
                "focus", "run", "--goal", "5", "--app", "toy", "--progress", "touch '\(mark)'; echo 1",
            ]
            let run = try FocusChild(home, words + user)
            #expect(try await run.end() == 2)
            #expect(run.errors.contains("never runs as root"))
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test("X-1: apps are listed by label, with their categories, and nothing in them steers a terminal")
    func apps() async throws {
        let home = try FocusHome()
        try home.add("web", name: "a\u{1B}]0;x\u{7}Browser", exec: home.program.path, categories: "Network;")
        try home.add("shell", name: "Shell", exec: "/bin/sh", categories: "System;")
        var outcome = try await home.run("focus", "apps")
        #expect(outcome.status == 0)
        let rows = try outcome.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(rows.map { $0["token"] as? String } == ["web.desktop", "toy.desktop"])
        #expect(rows.last?["label"] as? String == "Toy Game")
        #expect(rows.last?["categories"] as? [String] == ["Game"])
        #expect(!outcome.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(!outcome.text.contains("\\u001b"))
        outcome = try await home.run("focus", "apps", "--category", "games")
        #expect(outcome.text.split(separator: "\n").count == 1)
        #expect(try await home.run("focus", "apps", "--category", "Nonsense").status == 2)
        #expect(!FileManager.default.fileExists(atPath: home.store.path), "asking makes no store")
    }
}
