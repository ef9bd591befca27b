internal import AdapterKit
internal import PasscodeLock
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Ends the run.
extension GuardedRun {
    func finish() async {
        awayTimer?.cancel()
        disconnectDriver()
        dismissScreen()
        let noting = Task(executorPreference: executor) { await self.noteAbsence() }
        await program.end()
        seal?.end()
        await finishOutput()
        await input.finish()
        restoreTerminal()
        await noting.value
        signals?.end()
        ended()
    }

    /// Writes the rest of the output.
    ///
    /// If the program has ended by itself, a pipe gets all of the program's output, however slowly the
    /// reader reads. If the output cannot be written, the run ends as ``outputFailed(_:)`` describes. A
    /// signal ends the wait for a reader or a terminal, also for one that is slow.
    private func finishOutput() async {
        // In the background the terminal shows what belongs to another process.
        if terminal.hasTerminalOutput, !isInFront { return output.abandon() }
        guard hasProgramEnded else {
            output.hurry()
            await output.finish(isCovered: isCovered)
            return
        }
        if !terminal.hasTerminalOutput {
            // The output may be a pipe to a program that itself reads keys from the terminal, such as a
            // pager. So the run stops reading input first.
            await input.finish()
            output.waitForReader()
        }
        let signal = Task(executorPreference: executor) { [events, output] () -> Int32? in
            for await event in events {
                guard case .signal(let number) = event else { continue }
                if number == SIGTSTP { SignalWatch.stopProcess() }
                guard SignalWatch.ending.contains(number) else { continue }
                output.hurry()
                return number
            }
            return nil
        }
        let isWhole = await output.finish(isCovered: isCovered)
        signal.cancel()
        if let error = output.failure {
            outputFailed(error)
        } else if !isWhole, let number = await signal.value {
            exitStatus = 128 + number
        }
    }

    /// Records the end of the run as the beginning of an absence: the next run asks for the passcode if it
    /// begins after the timeout. The call returns after ``lastPatience`` even if the store takes longer.
    private func noteAbsence() async {
        guard !program.isSignedOut else { return }
        await clock.wait(atMost: Self.lastPatience, on: executor) { [session] in
            await session.phaseChanged(to: .background)
        }
    }
}
