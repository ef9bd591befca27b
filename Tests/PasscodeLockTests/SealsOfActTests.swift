import AdapterKit
import PortcullisCore
import Testing

@testable import PasscodeLock

#if canImport(Glibc)
import Glibc

@Suite("Acts and their actors (P-24)")
struct SealsOfActTests {
    /// An actor with a thread of its own, as `guard` has one.
    private actor Host {
        private let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        init() throws { executor = try ThreadExecutor() }

        /// The threads of the host, of an act and of what the act calls.
        func threads() async throws -> [UInt] {
            var threads = [UInt(pthread_self())]
            try await SealsOfAct.during(SealsOfAct()) { () throws(PasscodeError) in
                threads.append(UInt(pthread_self()))
                await Task.yield()
                threads.append(UInt(pthread_self()))
            }
            return threads
        }
    }

    @Test("P-24: an act runs on the thread of the actor that carries it out, not in Swift's pool")
    func staysOnItsActor() async throws {
        let threads = try await Host().threads()
        #expect(Set(threads).count == 1)
    }
}
#endif
