import Benchmark
import GcryptKeystore
import PortcullisCore

/// What it takes to try a passcode.
func passcodeOperations() {
    Benchmark("passcode: open a sealed key") { (benchmark, sealed: SealedKey) in
        for _ in benchmark.scaledIterations {
            let passcode = SecretBytes(copying: Array("271828".utf8))
            let opening = try await GcryptPasscodeSealer().open(sealed, with: passcode, context: "bench")
            guard case .opened = opening else { return benchmark.error("the passcode does not fit") }
        }
    } setup: {
        try await GcryptPasscodeSealer().seal(
            SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            under: SecretBytes(copying: Array("271828".utf8)),
            context: "bench"
        )
    }
}
