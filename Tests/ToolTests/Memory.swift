import Foundation

/// The memory of a running process, as its map tells it apart.
struct Memory {
    private let process: Int32

    init(of process: Int32) throws { self.process = process }

    /// How often some bytes occur in the pages that a core dump would hold, or in those that it leaves out.
    func occurrences(of bytes: Data, dumped: Bool) throws -> Int {
        let file = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard file >= 0 else { throw CocoaError(.fileReadNoPermission) }
        var count = 0
        for range in try regions(dumped: dumped) {
            var content = Data(count: range.count)
            let size = unsafe content.withUnsafeMutableBytes {
                unsafe pread(file, $0.baseAddress, $0.count, off_t(range.lowerBound))
            }
            // Some regions are listed but cannot be read, as the kernel's own are.
            guard size > 0 else { continue }
            var from = content.startIndex
            while let found = content.range(of: bytes, in: from..<size) {
                count += 1
                from = found.upperBound
            }
        }
        return count
    }

    /// The most that was resident, in KiB.
    func peak() throws -> Int {
        let status = try String(contentsOf: URL(fileURLWithPath: "/proc/\(process)/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// How many bytes of address space a core dump leaves out, which is where secrets lie.
    func protected() throws -> Int { try regions(dumped: false).reduce(0) { $0 + $1.count } }

    private func regions(dumped: Bool) throws -> [Range<UInt64>] {
        // Not by a call that asks for the file's size first: here that is always 0.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
        defer { try? file.close() }
        var bytes = Data()
        while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
        let map = String(decoding: bytes, as: UTF8.self)
        var regions: [Range<UInt64>] = []
        var current: Range<UInt64>?
        for line in map.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count >= 5, words[1].count == 4, let dash = words[0].firstIndex(of: "-"),
                let start = UInt64(words[0][..<dash], radix: 16),
                let end = UInt64(words[0][words[0].index(after: dash)...], radix: 16)
            {
                current = words[1].hasPrefix("r") && !line.hasSuffix("[vvar]") ? start..<end : nil
            } else if words.first == "VmFlags:", let range = current, words.contains("dd") != dumped {
                regions.append(range)
            }
        }
        return regions
    }
}
