import PortcullisCore
import Testing

@Suite("SecretBuffer (P-4)", .timeLimit(.minutes(5)))
struct SecretBufferTests {
    private func fill(_ buffer: SecretBuffer, _ bytes: [UInt8]) {
        unsafe buffer.fill { room in
            unsafe room.copyBytes(from: bytes)
            return bytes.count
        }
    }

    private func bytes(_ buffer: SecretBuffer) -> [UInt8] {
        buffer.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test("P-4: pieces are kept one behind the other; what is dropped goes from the front")
    func pieces() {
        let buffer = SecretBuffer(capacity: 8)
        #expect(buffer.count == 0 && buffer.capacity == 8 && buffer.freeCapacity == 8)
        fill(buffer, [1, 2, 3])
        fill(buffer, [])
        fill(buffer, [4, 5])
        #expect(bytes(buffer) == [1, 2, 3, 4, 5])
        #expect(buffer.count == 5 && buffer.freeCapacity == 3)
        unsafe buffer.fill { room in
            let count = room.count
            #expect(count == 3)
            return 0
        }
        buffer.makeRoom(10, dropping: 2)
        #expect(bytes(buffer) == [3, 4, 5])
        #expect(buffer.capacity == 13)
        buffer.makeRoom(1)
        #expect(bytes(buffer) == [3, 4, 5])
        #expect(buffer.capacity == 6)
        fill(buffer, [6, 7, 8])
        #expect(bytes(buffer) == [3, 4, 5, 6, 7, 8])
    }

    @Test(
        "P-4: it becomes a secret of what is there, however much room is left, and is empty",
        arguments: [0, 1, 4, 5, 8]
    )
    func finishes(count: Int) {
        let buffer = SecretBuffer(capacity: 8)
        let filling = (0..<count).map { UInt8($0 + 1) }
        fill(buffer, filling)
        let place = buffer.withBytes { span in
            unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        let secret = buffer.finish()
        #expect(secret.count == count)
        // A block that is more than half full is taken over as it is.
        let isSame = secret.withBytes { span in
            unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) == place }
        }
        #expect(isSame == (count > 4))
        #expect(secret.withBytes { span in span.indices.map { span[$0] } } == filling)
        #expect(buffer.count == 0 && buffer.capacity == 0)
        buffer.makeRoom(2)
        fill(buffer, [9, 9])
        #expect(bytes(buffer) == [9, 9])
        #expect(secret.withBytes { span in span.indices.map { span[$0] } } == filling)
    }

    @Test("P-4: more than there is room for ends the process")
    func overflow() async {
        await #expect(processExitsWith: .failure) {
            unsafe SecretBuffer(capacity: 8).fill { _ in 9 }
        }
        await #expect(processExitsWith: .failure) {
            unsafe SecretBuffer(capacity: 8).fill { _ in -1 }
        }
    }
}
