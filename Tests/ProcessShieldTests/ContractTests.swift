#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

/// Tests on processes of their own, one at a time: they measure, and look at the one process table there is.
@Suite("On real processes", .serialized)
enum RealProcesses {}

extension RealProcesses {
    @Suite("ProcessShield keeps the contract", .timeLimit(.minutes(5)))
    struct ContractTests {
        private func subject(usesGate: Bool) -> ShieldControllerSubject {
            ShieldControllerSubject {
                let bench = try ShieldBench(usesGate: usesGate)
                let apps = try ["chess": Child(bench.chess, ["60"]), "mail": Child(bench.mail, ["60"])]
                return .init(
                    controller: bench.shield,
                    tokens: .init(
                        app: AppToken("chess.desktop"),
                        otherApp: AppToken("mail.desktop"),
                        category: CategoryToken("Game"),
                        refused: AppToken("\(bench.scratch.path)/bin/bash")
                    ),
                    isShut: { token in
                        guard let app = apps[String(token.rawValue.prefix { $0 != "." })] else {
                            return false
                        }
                        return app.isStopped
                    },
                    failNext: {
                        bench.store.failNext(
                            .write,
                            with: SecretStoreError(code: .diskFull, message: "told to")
                        )
                    },
                    reopen: { bench.next() }
                )
            }
        }

        @Test(
            "X-3: keeps the contract, with the gate and without",
            arguments: ShieldControllerContract.allCases,
            [false, true]
        )
        func contract(_ clause: ShieldControllerContract, usesGate: Bool) async throws {
            try await clause.check(subject(usesGate: usesGate))
        }
    }
}
#endif
