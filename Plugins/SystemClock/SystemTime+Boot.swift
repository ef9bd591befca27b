internal import PortcullisCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
internal import LinuxSystem
#endif

extension SystemTime {
    /// Returns the system's id for this boot, or a random id if the system has none.
    ///
    /// With a random id the times of other processes are not comparable, even within one boot, so the lock
    /// fails closed. A constant id would make the times of two boots look comparable.
    static func bootID() -> BootID {
        if let text = systemBootID(), !text.isEmpty { return BootID(text) }
        return BootID("unknown-\(UInt64.random(in: .min ... .max))\(UInt64.random(in: .min ... .max))")
    }

    #if canImport(Darwin)
    private static func systemBootID() -> String? {
        var buffer = [UInt8](repeating: 0, count: 64)
        var size = buffer.count
        guard unsafe sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
    #else
    private static func systemBootID() -> String? {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let reading = unsafe buffer.withUnsafeMutableBytes { unsafe Descriptors.read(file, into: $0) }
        guard case .bytes(let count) = reading else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self)
    }
    #endif
}
