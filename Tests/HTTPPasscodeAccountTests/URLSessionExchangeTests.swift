#if os(Linux)
import Foundation
import FoundationNetworking
import PortcullisTesting
import Testing

@testable import HTTPPasscodeAccount

@Suite("An exchange of the system's client")
struct URLSessionExchangeTests {
    @Test("P-50: requests that are cancelled before they begin leave no session behind")
    func cancelledBefore() async {
        // A session holds descriptors; in a process of its own no other test has any.
        await #expect(processExitsWith: .success) {
            let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
            let before = try openDescriptors()
            for _ in 0..<100 {
                let unsent = Task {
                    while !Task.isCancelled { await Task.yield() }
                    do throws(HTTPTransportError) {
                        _ = try await URLSessionExchange.send(request, HTTPTransportLimits())
                        return nil as HTTPTransportError.Code?
                    } catch {
                        return error.code
                    }
                }
                unsent.cancel()
                #expect(await unsent.value == .cancelled)
            }
            try await BoundedWait.until("the end of the sessions", every: .milliseconds(5)) {
                try openDescriptors() < before + 50
            }
        }
    }
}

private func openDescriptors() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
#endif
