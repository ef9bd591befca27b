internal import LinuxSystem

extension ConsoleNotifier {
    /// Makes a sink that writes to a file descriptor. The caller keeps and closes the descriptor.
    ///
    /// Each line is written completely, however long the reader takes. If the descriptor is closed or its
    /// reader has gone, further lines are dropped. A missing reader is no reason to end a program.
    public static func descriptorSink(_ descriptor: Int32) -> @Sendable ([UInt8]) -> Void {
        { line in Descriptors.write(line, to: descriptor) }
    }
}
