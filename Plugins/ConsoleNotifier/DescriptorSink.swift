internal import LinuxSystem

extension ConsoleNotifier {
    /// A sink that writes to a file descriptor, which stays the caller's.
    ///
    /// Each line is written whole, waiting as long as the reader takes. A descriptor that is closed or whose
    /// reader is gone takes nothing any more; that is no reason to end a program.
    public static func descriptorSink(_ descriptor: Int32) -> @Sendable ([UInt8]) -> Void {
        { line in Descriptors.write(line, to: descriptor) }
    }
}
