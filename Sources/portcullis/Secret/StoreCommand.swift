internal import ArgumentParser

/// A command that reads or writes the store once. The command runs on the main thread alone, which makes its
/// start a fifth faster.
///
/// A conforming command must not await a call that blocks, and must not use the main actor.
protocol StoreCommand: AsyncParsableCommand {}
