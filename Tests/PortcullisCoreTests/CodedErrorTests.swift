import PortcullisCore
import Testing

extension SecretStoreErrorCode {
    static let quotaUsedUp = Self("exampleStore.quotaUsedUp", like: .diskFull)
}

/// The one shape of errors (ARCHITECTURE 6).
@Suite("Errors have one shape")
struct CodedErrorTests {
    private struct Quota: Error {}

    @Test("an adapter adds codes of its own, and the cause is what the adapter knows")
    func ownCodes() throws {
        func fails() throws(SecretStoreError) {
            throw SecretStoreError(code: .quotaUsedUp, message: "the quota is used up", cause: Quota())
        }
        let error = try #require(throws: SecretStoreError.self) { try fails() }
        #expect(error.code == .quotaUsedUp && error.code != .diskFull && error.cause is Quota)
        #expect(error.code == SecretStoreError.Code("exampleStore.quotaUsedUp"))
        #expect(error.code.portable == .diskFull && SecretStoreError.Code.damaged.portable == .damaged)
        #expect(SecretStoreError.Code("exampleStore.trial", like: .quotaUsedUp).portable == .diskFull)
        #expect(SecretStoreError.Code("exampleStore.odd").portable != .diskFull)
        #expect(error.description == "exampleStore.quotaUsedUp: the quota is used up (Quota())")
    }

    @Test("what an error tells besides is a member of it, and stands before the cause")
    func details() {
        let stored = SecretStoreError(code: .damaged, message: "a page is torn", path: "/x", cause: Quota())
        #expect(stored.path == "/x" && "\(stored)" == "damaged: a page is torn [/x] (Quota())")
        #expect(SecretStoreError(code: .closed, message: "closed").path == nil)
        let refused = PasscodeAccountError(code: .throttled, message: "wait", retryAfter: .seconds(60))
        #expect(refused.retryAfter == .seconds(60))
        #expect("\(refused)" == "throttled: wait [again in 60.0 seconds]")
        #expect("\(ShieldError(code: .unavailable, message: "none"))" == "unavailable: none")
    }

    @Test("errors of two ports are two types, also where their codes have one name")
    func apart() {
        let error: any Error = NotifierError(code: .systemFailure, message: "failed")
        #expect(error is NotifierError && !(error is ShieldError))
    }
}
