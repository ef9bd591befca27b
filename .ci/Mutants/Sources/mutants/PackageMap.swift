internal import Foundation

/// The targets of the package and what they are built of.
struct PackageMap {
    let name: String
    private let dependencies: [String: Set<String>]
    private let tests: [String]

    init(folder: URL) throws {
        let json = try Command.output("swift", ["package", "--package-path", folder.path, "dump-package"])
        let description = try JSONDecoder().decode(Description.self, from: Data(json.utf8))
        name = description.name
        dependencies = Dictionary(
            uniqueKeysWithValues: description.targets.map {
                ($0.name, Set($0.dependencies.compactMap(\.name)))
            }
        )
        tests = description.targets.filter { $0.type == "test" }.map(\.name)
    }

    private struct Description: Decodable {
        var name: String
        var targets: [Target]

        struct Target: Decodable {
            var name: String
            var type: String
            var dependencies: [Dependency]
        }

        /// `{"byName": ["PortcullisCore", null]}`
        struct Dependency: Decodable {
            var byName: [String?]?
            var name: String? { byName?.first ?? nil }
        }
    }

    /// Everything that a target is built of.
    private func closure(_ target: String) -> Set<String> {
        var found: Set<String> = []
        var open = [target]
        while let next = open.popLast() {
            for name in dependencies[next] ?? [] where found.insert(name).inserted { open.append(name) }
        }
        return found
    }

    /// These modules, each after those that it is built of.
    func inOrder(_ modules: Set<String>) -> [String] {
        modules.sorted { (closure($0).count, $0) < (closure($1).count, $1) }
    }

    /// The test runs that could notice a fault of a module, as regular expressions, in the order in which they are run: its
    /// own tests, those of what is built of it, and those on terminals and processes last.
    func testRuns(for module: String) -> [String] {
        let dependents = tests.filter { closure($0).contains(module) && $0 != "GuideTests" }
        let own = dependents.filter { $0 == module + "Tests" }
        let last = ["Scenarios", "ProcessShieldTests", "ToolTests"].filter {
            dependents.contains($0) && !own.contains($0)
        }
        let others = dependents.filter { !own.contains($0) && !last.contains($0) }.sorted()
        var runs = own.map { #"^\#($0)\."# }
        if !others.isEmpty { runs.append("^(\(others.joined(separator: "|")))\\.") }
        for name in last {
            if name == "ToolTests", let suites = Self.toolSuites[module] {
                runs.append("^ToolTests\\.(\(suites))")
            } else {
                runs.append("^\(name)\\.")
            }
        }
        return runs
    }

    /// Those of the tool's suites that use a module for more than its start; a module that is not named is left to all.
    private static let toolSuites = [
        "PortcullisCore": "Focus|Guard|Passcode|Schedule|Secret",
        "PasscodeLock": "Guard|Passcode|TwoGuards|SessionSeal",
        "GoalLock": "Focus",
        "ConsoleNotifier": "Focus|Passcode",
        "CronScheduler": "Schedule",
        "GcryptKeystore": "Seal|Secre|SessionSeal|Passcode",
        "ProcessShield": "Focus",
        "ProgressSources": "Focus",
        "SealedSession": "Seal|Agent|Session|TwoGuards",
        "SystemClock": "Focus|Schedule|Guard",
        "TerminalHost": "Focus|Guard|Multiplexer|Prompt|TwoGuards",
        "TerminalScreens": "Focus|Guard|TwoGuards",
    ]
}
