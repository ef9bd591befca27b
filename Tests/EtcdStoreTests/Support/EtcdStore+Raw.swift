#if EtcdStore
import Foundation
import PortcullisCore

@testable import EtcdStore

/// What a test does to the keys below a store.
extension EtcdStore {
    /// The keys of all items, and what they hold.
    func raw() async throws -> [(key: Data, value: Data)] {
        var request = Etcdserverpb_RangeRequest()
        request.key = keys.itemsStart
        request.rangeEnd = keys.itemsEnd
        return try await cluster.range(request).kvs.map { ($0.key, $0.value) }
    }

    func putRaw(_ value: Data, at key: Data) async throws {
        var put = Etcdserverpb_PutRequest()
        (put.key, put.value) = (key, value)
        var operation = Etcdserverpb_RequestOp()
        operation.requestPut = put
        var request = Etcdserverpb_TxnRequest()
        request.success = [operation]
        _ = try await cluster.txn(request)
    }

    /// Alters every item but the one that sealing keys lie in.
    func damageAll() async throws {
        let keyring = try SecretName("keyring", in: SecretNamespace("portcullis.sealing"))
        for (key, value) in try await raw() where key != keys.key(keyring) {
            var value = value
            value[value.startIndex + 1] ^= 0x55
            try await putRaw(value, at: key)
        }
    }
}
#endif
