import Foundation
import Testing

@testable import ManPages

/// Pages of a small made-up tool, letter by letter.
@Suite("the text of manual pages", .timeLimit(.minutes(1)))
struct PageTests {
    private func page(_ json: String) throws -> [String: String] {
        let command = try JSONDecoder().decode(Command.self, from: Data(json.utf8))
        return Dictionary(
            uniqueKeysWithValues: command.all.map {
                ($0.page, ManPage($0, version: "tool 1.2", date: "2026-01-31").text)
            }
        )
    }

    @Test("a page has its sections, options and exit statuses, and what is hidden stays out")
    func whole() throws {
        let pages = try page(Self.tool)
        #expect(pages.keys.sorted() == ["tool", "tool-focus", "tool-get", "tool-guard"])
        for (name, expected) in [
            ("tool", Self.toolPage), ("tool-get", Self.getPage), ("tool-guard", Self.guardPage),
        ] {
            let found = try #require(pages[name])
            #expect(found == expected, "\(name)")
        }
        let focus = try #require(pages["tool-focus"])
        #expect(focus.contains(".SH \"ENVIRONMENT\"\n.TP\n\\fBTZ\\fR\n"))
        #expect(!focus.contains(".SH \"FILES\"") && !focus.contains("SHELL") && !focus.contains("XDG"))
    }

    @Test("the page of a command that reads no variables has no section for them")
    func withoutVariables() throws {
        let pages = try page(#"{"commandName": "tool", "abstract": "Keeps things."}"#)
        #expect(try #require(pages["tool"]).contains(".SH \"NAME\""))
        #expect(pages["tool"]?.contains("ENVIRONMENT") == false)
    }

    @Test("a character outside ASCII has its number in four digits or more")
    func characters() {
        #expect(Roff.escaped("\u{B7}\u{2026}\u{1F512}") == #"\[u00B7]\[u2026]\[u1F512]"#)
    }

    private static let tool = #"""
        {
          "commandName": "tool", "abstract": "Keeps things.", "discussion": "First.\n\nSecond.",
          "arguments": [
            {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
             "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}],
             "preferredName": {"kind": "long", "name": "help"}, "abstract": "Show help."}
          ],
          "subcommands": [
            {
              "superCommands": ["tool"], "commandName": "get", "aliases": ["g", "fetch"],
              "abstract": "Get one thing, which is a long text that has to be wrapped into lines of the right width",
              "discussion": ".dots and 'quotes' come first\nand `code` with - ^ ~ \\ é\n\n  tool get a\n  .tool get b\nafterwards\n\n    deep\n",
              "arguments": [
                {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": false,
                 "valueName": "name", "abstract": "The name."},
                {"kind": "positional", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
                 "valueName": "kind", "abstract": "The kind.", "allValues": ["a", "b"], "defaultValue": "a"},
                {"kind": "positional", "shouldDisplay": true, "isOptional": true, "isRepeating": true},
                {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
                 "names": [{"kind": "long", "name": "store"}], "preferredName": {"kind": "long", "name": "store"},
                 "valueName": "file", "abstract": "The store.", "defaultValue": "here", "discussion": "More of it."},
                {"kind": "option", "shouldDisplay": true, "isOptional": false, "isRepeating": true,
                 "names": [{"kind": "short", "name": "k"}, {"kind": "long", "name": "key"}],
                 "preferredName": {"kind": "long", "name": "key"}, "abstract": "A key."},
                {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": true,
                 "names": [{"kind": "long", "name": "loud"}], "preferredName": {"kind": "long", "name": "loud"},
                 "abstract": "Say more.", "defaultValue": "false"},
                {"kind": "option", "shouldDisplay": false, "isOptional": true, "isRepeating": false,
                 "names": [{"kind": "long", "name": "secret"}], "preferredName": {"kind": "long", "name": "secret"}},
                {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
                 "names": [{"kind": "long", "name": "version"}], "preferredName": {"kind": "long", "name": "version"},
                 "abstract": "Show the version."}
              ]
            },
            {"superCommands": ["tool"], "commandName": "guard", "abstract": "Guard it."},
            {"superCommands": ["tool"], "commandName": "hidden", "shouldDisplay": false, "abstract": "Not shown."},
            {"superCommands": ["tool"], "commandName": "focus", "abstract": "Focus"},
            {"superCommands": ["tool"], "commandName": "help", "abstract": "Show help."}
          ]
        }
        """#
}
