import Benchmark

let benchmarks: @Sendable () -> Void = {
    // Of the system calls those that read and write; the keystore's tests count all kinds.
    unsafe Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident, .readSyscalls, .writeSyscalls],
        maxDuration: .seconds(3)
    )
    keystoreOperations()
    passcodeOperations()
    cronOperations()
}
