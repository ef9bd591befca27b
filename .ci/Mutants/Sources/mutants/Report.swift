internal import Foundation

/// Lines that are there at once: a file or another program may be reading them.
enum Report {
    static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    static func progress(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
