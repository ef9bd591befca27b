import Foundation
import PortcullisCore
import Testing

@Suite("Values of the ports", .timeLimit(.minutes(5)))
struct PortValuesTests {
    private struct Constant: RandomNumberGenerator {
        let number: UInt64
        func next() -> UInt64 { number }
    }

    @Test("X-1: each capability is a bit of its own")
    func capabilities() {
        let store: [SecretStoreCapabilities] = [
            .signalsOwnChanges, .signalsOtherProcesses, .isDurable, .isShared,
        ]
        #expect(store.map(\.rawValue) == [1, 2, 4, 8])
        let scheduler: [ActivitySchedulerCapabilities] = [.tellsNextEvent, .runsJobs]
        #expect(scheduler.map(\.rawValue) == [1, 2])
    }

    @Test(
        "P-50: a revision or request is 1 to 64 printable ASCII characters without spaces, also where it is decoded"
    )
    func revisions() throws {
        for text in ["", " ", "a b", "\u{7F}", "ü", "\n", String(repeating: "a", count: 65)] {
            #expect(AccountRevision(text) == nil, "\(text)")
            let json = try JSONEncoder().encode([text])
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([AccountRevision].self, from: json)
            }
        }
        for text in ["!", "~", "a-1", String(repeating: "a", count: 64)] {
            let revision = try #require(AccountRevision(text))
            #expect(revision.description == text)
            let json = try JSONEncoder().encode([revision])
            #expect(try JSONDecoder().decode([String].self, from: json) == [text])
            #expect(try JSONDecoder().decode([AccountRevision].self, from: json) == [revision])
            let request = try #require(AccountCodeRequest(text))
            #expect(request.rawValue == text)
            #expect(try JSONDecoder().decode([AccountCodeRequest].self, from: json) == [request])
            #expect(try JSONEncoder().encode([request]) == json)
        }
    }

    @Test("P-50: a random revision or request has 32 hexadecimal digits, whatever the numbers")
    func randomRevisions() {
        for (number, half) in [
            (0, "0000000000000000"), (0xA, "000000000000000a"), (.max, "ffffffffffffffff"),
        ] as [(UInt64, String)] {
            var generator = Constant(number: number)
            #expect(AccountRevision.random(using: &generator).rawValue == half + half)
            #expect(AccountCodeRequest.random(using: &generator).rawValue == half + half)
        }
    }

    @Test("X-1: an error's text has its code, its message and what it knows besides")
    func errors() {
        let cause = NotifierError(code: .systemFailure, message: "no pipe")
        #expect("\(cause)" == "systemFailure: no pipe")
        #expect("\(ShieldError(code: .stateUnreadable, message: "torn"))" == "stateUnreadable: torn")
        #expect(
            "\(ShieldError(code: .systemFailure, message: "torn", cause: cause))"
                == "systemFailure: torn (systemFailure: no pipe)"
        )
        #expect("\(SecretStoreError(code: .damaged, message: "torn"))" == "damaged: torn")
        #expect(
            "\(SecretStoreError(code: .diskFull, message: "full", path: "/a", cause: cause))"
                == "diskFull: full [/a] (systemFailure: no pipe)"
        )
        #expect("\(PasscodeAccountError(code: .refused, message: "no"))" == "refused: no")
        #expect("\(BiometricError(code: .lockedOut, message: "no"))" == "lockedOut: no")
        #expect("\(ActivitySchedulerError(code: .invalidSchedule, message: "no"))" == "invalidSchedule: no")
        #expect("\(PasscodeSealerError(code: .malformed, message: "no"))" == "malformed: no")
    }

    @Test("K-8: classes are told apart by availability and device")
    func accessibility() {
        #expect(
            Accessibility.allCases.map(\.description) == [
                "whenUnlocked", "whenUnlockedThisDeviceOnly", "afterFirstUnlock",
                "afterFirstUnlockThisDeviceOnly",
            ]
        )
        #expect(Accessibility.allCases.map(\.thisDeviceOnly) == [false, true, false, true])
    }

    @Test("A-23: a catalogue is sorted by label without regard to case, equal labels by token")
    func catalogue() {
        func entry(_ token: String, _ label: String) -> ShieldCatalogue.Entry<AppToken> {
            .init(token: AppToken(token), label: label)
        }
        let catalogue = ShieldCatalogue(
            apps: [entry("z", "mail"), entry("b", "Chess"), entry("a", "chess"), entry("y", "Mail")],
            categories: [
                .init(token: CategoryToken("2"), label: "work"),
                .init(token: CategoryToken("1"), label: "Games"),
            ]
        )
        #expect(catalogue.apps.map(\.token.rawValue) == ["a", "b", "y", "z"])
        #expect(catalogue.categories.map(\.token.rawValue) == ["1", "2"])
    }

    @Test("A-2: a selection is empty without apps and without categories")
    func selections() {
        #expect(ShieldSelection().isEmpty)
        #expect(!ShieldSelection(apps: [AppToken("a")]).isEmpty)
        #expect(!ShieldSelection(categories: [CategoryToken("a")]).isEmpty)
    }
}
