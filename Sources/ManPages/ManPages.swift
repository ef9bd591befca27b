internal import Foundation

/// Writes a manual page for each command of the tool, from the tool's own help. This program is not part of
/// any product.
///
///     portcullis --experimental-dump-help | ManPages FOLDER "portcullis 0.1.0" 2026-01-31
@main
enum ManPages {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            FileHandle.standardError.write(Data("usage: ManPages FOLDER VERSION DATE <HELP\n".utf8))
            exit(2)
        }
        let (folder, version, date) = (URL(filePath: words[1]), words[2], words[3])
        let help = try JSONDecoder().decode(Help.self, from: FileHandle.standardInput.readToEnd() ?? Data())
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for command in help.command.all {
            let page = ManPage(command, version: version, date: date)
            try Data(page.text.utf8).write(to: folder.appending(path: "\(command.page).1"))
        }
    }
}

/// The output of `--experimental-dump-help`.
private struct Help: Decodable {
    var command: Command
}
