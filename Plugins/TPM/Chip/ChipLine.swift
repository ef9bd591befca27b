/// A connection to a chip. Commands and answers are bytes.
protocol ChipLine: AnyObject {
    /// Sends a command and waits for its answer.
    func exchange(_ command: [UInt8]) throws(ChipFailure) -> [UInt8]
}
