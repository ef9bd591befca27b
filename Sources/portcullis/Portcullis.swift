import ArgumentParser

@main
struct Portcullis: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "portcullis",
        abstract: "A passcode lock and an encrypted keystore for terminals and apps."
    )
}
