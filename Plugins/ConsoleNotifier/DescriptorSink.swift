internal import LinuxSystem

extension ConsoleNotifier {
    /// Makes a sink that writes to a file descriptor. The caller closes the descriptor.
    ///
    /// Each line is written completely, however long the reader takes. If the descriptor is closed or its
    /// reader has gone, further lines are dropped, and the program continues.
    public static func descriptorSink(_ descriptor: Int32) -> @Sendable ([UInt8]) -> Void {
        { line in Descriptors.write(line, to: descriptor) }
    }
}
