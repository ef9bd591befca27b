/// Reads the step counts of an Apple Health `export.xml`.
struct HealthExport: StepReader {
    private var scanner = XMLScanner()

    mutating func take(_ bytes: Span<UInt8>, _ handle: (StepSample) throws -> Void) throws {
        try scanner.take(bytes) { tag, depth in
            if depth == 0, !tag.isNamed("HealthData") {
                throw StepFileError(offset: tag.offset, reason: "the root is not HealthData")
            }
            // A record inside a correlation is also listed at the top level, so only the top level counts.
            guard depth == 1, tag.isNamed("Record"), tag.has("type", "HKQuantityTypeIdentifierStepCount")
            else {
                return
            }
            guard let start = tag.value("startDate").flatMap(RecordTime.init), let hour = start.hour else {
                throw StepFileError(offset: tag.offset, reason: "a step count without a startDate")
            }
            guard let steps = tag.value("value").flatMap(StepSample.count) else {
                let reason = "a step count without a value from 0 to \(StepSample.most)"
                throw StepFileError(offset: tag.offset, reason: reason)
            }
            let source = tag.value("sourceName") ?? ""
            try handle(StepSample(date: start.date, hour: hour, steps: steps, source: source))
        }
    }

    mutating func finish(_ handle: (StepSample) throws -> Void) throws { try scanner.finish() }
}

/// Takes a file piece by piece and gives the samples in it.
protocol StepReader {
    /// Takes the next piece.
    mutating func take(_ bytes: Span<UInt8>, _ handle: (StepSample) throws -> Void) throws
    /// Tells the reader that there are no more pieces.
    mutating func finish(_ handle: (StepSample) throws -> Void) throws
}
