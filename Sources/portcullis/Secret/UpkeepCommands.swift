internal import ArgumentParser
internal import GcryptKeystore
internal import PortcullisCore

struct CheckStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Verify every frame of the store; exit status 4 when something is damaged.",
        discussion: "Items of all namespaces are counted, also those that passcodes and App Lock keep."
    )

    @OptionGroup var options: StoreOptions
    @Flag(help: "Answer in JSON.") var json = false

    func run() async throws {
        let report = try await GcryptKeystore.check(
            try options.configuration(with: try await options.credential(), createsIfMissing: false)
        )
        try StoreReport(report).write(asJSON: json)
        if !report.damage.isEmpty { throw ToolExit.damaged }
    }
}

struct SalvageStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Write what is undamaged to a new store that the same keys open."
    )

    @OptionGroup var options: StoreOptions
    @Flag(help: "Answer in JSON.") var json = false
    @Option(help: "The new store's file.", completion: NameCompletion.file) var to: String

    func run() async throws {
        let report = try await GcryptKeystore.salvage(
            try options.configuration(with: try await options.credential(), createsIfMissing: false),
            to: to
        )
        try StoreReport(report).write(asJSON: json)
        if report.hasLostFrames {
            StandardError.warn("frames are lost; any item may be older or missing, passcodes and tries too")
        }
        if !json {
            try StandardOutput.write(line: "Written to \(ForeignText.line(to)); the old store is as it was.")
        }
    }
}

struct CompactStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrite the store without removed and replaced values."
    )

    @OptionGroup var options: StoreOptions
    @Flag(help: "Also forget the counter of a TPM's anchor, which the next command with one sets up anew.")
    var forgetCounter = false

    func run() async throws {
        try await options.perform(with: try await options.credential()) { store in
            if forgetCounter { try await store.forgetCounter() }
            try await store.compact()
        }
    }
}

/// The result of `check` or `salvage`.
struct StoreReport: Encodable {
    struct Damage: Encodable {
        var frame: UInt64
        var offset: UInt64
        var item: String?
        var message: String
    }

    var items: Int
    var frames: Int
    var bytes: UInt64
    var damage: [Damage]
    var unfinishedTail: Bool

    init(_ report: KeystoreReport) {
        items = report.items
        frames = report.frames
        bytes = report.bytes
        damage = report.damage.map {
            Damage(frame: $0.frame, offset: $0.offset, item: $0.item?.description, message: $0.message)
        }
        unfinishedTail = report.unfinishedTail
    }

    func write(asJSON json: Bool) throws {
        if json { return try StandardOutput.write(json: self) }
        try StandardOutput.write(line: "\(items) items in \(frames) frames, \(bytes) bytes")
        for damage in damage {
            let item = damage.item.map { " of \($0)" } ?? ""
            let place = "damage at offset \(damage.offset), frame \(damage.frame)\(item)"
            try StandardOutput.write(line: ForeignText.line("\(place): \(damage.message)"))
        }
        if unfinishedTail {
            try StandardOutput.write(line: "the last write was cut short; the next one sets it aside")
        }
    }
}
