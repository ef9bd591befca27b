internal import Foundation

/// A file of step counts, of either kind, read in pieces.
struct StepFile {
    /// The byte order mark of UTF-8, with which a file may begin.
    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let pieceSize = 1 << 18

    private let handle: FileHandle
    /// The size in bytes; `nil` for a pipe.
    let size: Int?

    /// Opens a file; `-` is standard input.
    init(path: String) throws {
        guard path != "-" else {
            (handle, size) = (.standardInput, nil)
            return
        }
        handle = try FileHandle(forReadingFrom: URL(filePath: path))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
        size = isRegular ? attributes[.size] as? Int : nil
    }

    /// Reads the whole file.
    ///
    /// - Parameters:
    ///   - progress: is called with the number of bytes that were read.
    ///   - sample: is called with each count.
    /// - Throws: ``StepFileError`` for a file that is not well-formed, even if the fault is at its very end.
    func read(progress: (Int) -> Void, sample: (StepSample) throws -> Void) throws {
        var piece = try nextPiece()
        var reader: any StepReader = Self.isXML(piece) ? HealthExport() : StepTable()
        var count = 0
        while !piece.isEmpty {
            try reader.take(piece.span, sample)
            count += piece.count
            progress(count)
            piece = try nextPiece()
        }
        try reader.finish(sample)
    }

    /// Reads a whole piece, even from a pipe, which gives less at a time. Only the last piece may be shorter.
    private func nextPiece() throws -> Data {
        var piece = Data()
        while piece.count < Self.pieceSize,
            let more = try handle.read(upToCount: Self.pieceSize - piece.count), !more.isEmpty
        {
            if piece.isEmpty { piece = more } else { piece += more }
        }
        return piece
    }

    /// Decides by the first character. A file in UTF-16 goes to the XML reader, which reports that fault.
    private static func isXML(_ piece: Data) -> Bool {
        let text = piece.starts(with: mark) ? piece.dropFirst(mark.count) : piece
        guard let first = text.first(where: { !$0.isSpace }) else { return false }
        return first == UInt8(ascii: "<") || first >= 0xFE || first == 0
    }
}

/// The error for a file that was not read to its end.
struct UnreadableFile: Error, CustomStringConvertible {
    var description: String

    init(_ path: String, _ error: any Error) {
        if let error = error as? StepFileError {
            description = "\(path), \(error)"
            return
        }
        let error = error as NSError
        let system = error.userInfo[NSUnderlyingErrorKey] as? NSError
        description = "\(path): \((system ?? error).localizedFailureReason ?? "it cannot be read")"
    }
}
