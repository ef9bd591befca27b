import Foundation
import GoalLock
import PasscodeLock
import PortcullisCore
import ProcessShield
import Testing

/// The page of names is what others build on: it must say what the code says.
@Suite("Names that are shared", .timeLimit(.minutes(5)))
struct NamesTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private let page: String

    init() throws {
        let file = root.appending(path: "Sources/PortcullisCore/Documentation.docc/Names.md")
        page = try String(contentsOf: file, encoding: .utf8)
    }

    private func row(beginning cells: String...) -> Bool {
        page.contains("\n| " + cells.map { "`\($0)`" }.joined(separator: " | "))
    }

    @Test("X-5: the page lists the items of both locks")
    func items() {
        #expect(row(beginning: PasscodeNames.records.rawValue))
        #expect(row(beginning: PasscodeNames.asked.rawValue))
        for item in [GoalNames.record, GoalNames.introduced] {
            #expect(row(beginning: item.namespace.rawValue, item.name))
        }
    }

    #if os(Linux)
    @Test("X-5: the page lists the item of the shield")
    func shieldItem() {
        #expect(row(beginning: ProcessShield.namespace.rawValue, "state"))
    }
    #endif

    @Test("X-5: the page lists shield, activity and notifications")
    func others() {
        #expect(page.contains("| shield | `\(GoalNames.shield.rawValue)` |"))
        #expect(page.contains("| activity | `\(GoalNames.activity.rawValue)` |"))
        #expect(page.contains("| notification | `\(GoalNames.unlocked)` |"))
        #expect(page.contains("| notification | `\(GoalNames.damaged)` |"))
    }

    @Test("X-5: the page tells an iOS host what to add")
    func host() {
        #expect(page.contains("\"<App> uses Face ID to unlock the app securely.\""))
        for part in ["NSFaceIDUsageDescription", "app group", "keychain access group", "monitor extension"] {
            #expect(page.contains(part))
        }
    }

    @Test("X-5: the page lists every namespace that the sources name")
    func complete() throws {
        for folder in ["Sources", "Plugins"] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder),
                includingPropertiesForKeys: nil
            )
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /\.library\("([a-z]+)"\)/) {
                    #expect(row(beginning: "portcullis.\(match.1)"), "\(file.lastPathComponent)")
                }
            }
        }
    }
}
