import Foundation
import PortcullisCore
import ProcessShield

/// The figures, each printed as a line of a table when it is known.
struct Measuring {
    let shield: ProcessShield
    let programs: Programs
    let tries: Int
    private static let name = ShieldName("bench")

    private func apply(_ paths: String...) async throws {
        try await shield.apply(ShieldSelection(apps: Set(paths.map(AppToken.init))), as: Self.name)
    }

    /// What runs when its shield goes up, beside a bare signal.
    func running(as who: String) async throws {
        var bare: [Duration] = []
        var applied: [Duration] = []
        var missed = 0
        for _ in 0..<tries {
            let pid = try Programs.start(programs.shielded, ["600"]).get()
            var start = ContinuousClock.now
            kill(pid, SIGSTOP)
            _ = Programs.waitForStop(pid)
            bare.append(ContinuousClock.now - start)
            Programs.end(pid)

            let other = try Programs.start(programs.shielded, ["600"]).get()
            start = ContinuousClock.now
            try await apply(programs.shielded)
            // The call is back when it is stopped: the kernel's word for that is there without waiting.
            var status: Int32 = 0
            if unsafe waitpid(other, &status, WUNTRACED | WNOHANG) != other { missed += 1 }
            applied.append(ContinuousClock.now - start)
            Programs.end(other)
            try await shield.clear(Self.name)
        }
        Row.print("kill(SIGSTOP) → stopped (\(who))", bare)
        Row.print("apply() → back, all stopped (\(who))", applied, bar: .milliseconds(100))
        Row.print("of these not stopped yet", count: missed, of: tries)
    }

    /// Starts behind the gate, beside starts without one.
    func denied() async throws {
        var bare: [Duration] = []
        var denied: [Duration] = []
        var refused = 0
        for index in 0..<tries {
            var start = ContinuousClock.now
            Programs.wait(try Programs.start(programs.toucher, ["\(programs.marks)/bare-\(index)"]).get())
            bare.append(ContinuousClock.now - start)
            try await apply(programs.toucher)
            start = ContinuousClock.now
            switch Programs.start(programs.toucher, ["\(programs.marks)/gated-\(index)"]) {
            case .success(let pid): Programs.end(pid)
            case .failure(let error): refused += error.code == .EPERM ? 1 : 0
            }
            denied.append(ContinuousClock.now - start)
            try await shield.clear(Self.name)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: programs.marks)
        Row.print("start without a gate → its end", bare)
        Row.print("gated start → EPERM", denied)
        Row.print("gated starts refused with EPERM", count: refused, of: tries)
        Row.print(
            "gated starts whose program did anything",
            count: names.filter { $0.hasPrefix("gated-") }.count,
            of: tries,
            bar: 0
        )
    }

    /// From the call that starts a program until it is stopped.
    func started(as who: String) async throws {
        try await apply(programs.shielded)
        var times: [Duration] = []
        var escaped = 0
        for _ in 0..<tries {
            let start = ContinuousClock.now
            let pid = try Programs.start(programs.shielded, ["600"]).get()
            if Programs.waitForStop(pid) { times.append(ContinuousClock.now - start) } else { escaped += 1 }
            Programs.end(pid)
            // The shield's own work after a start is not to be part of the next one.
            try await Task.sleep(for: .milliseconds(20))
        }
        try await shield.clear(Self.name)
        Row.print("start → stopped (\(who))", times, bar: .milliseconds(50))
        Row.print("of these never stopped", count: escaped, of: tries, bar: 0)
    }

    /// What a start of somebody else costs while shields are up, in turns with none.
    func unrelated() async throws {
        var without: [Duration] = []
        var with: [Duration] = []
        func run(_ times: inout [Duration]) throws {
            for _ in 0..<50 {
                let start = ContinuousClock.now
                Programs.wait(try Programs.start(programs.other).get())
                times.append(ContinuousClock.now - start)
            }
        }
        for _ in 0..<max(1, tries / 20) {
            try run(&without)
            try await apply(programs.shielded, programs.toucher)
            try run(&with)
            try await shield.clear(Self.name)
        }
        Row.print("start of another program, no shield", without)
        Row.print("start of another program, shields up", with)
        let ratio = Row.median(with) / Row.median(without)
        print("| the same as a ratio of medians | \(Row.rounded(ratio)) | | | |")
    }

    /// The processor time of this process while its shields are up and nothing shielded starts.
    func idle(seconds: Int, as who: String) async throws {
        try await apply(programs.shielded, programs.toucher)
        try await Task.sleep(for: .seconds(1))
        let before = Self.processorTime()
        try await Task.sleep(for: .seconds(seconds))
        let share = (Self.processorTime() - before) / Double(seconds) * 100
        try await shield.clear(Self.name)
        print(
            "| idle for \(seconds) s (\(who)) | \(Row.rounded(share)) % of a core | | | ≤ 0.5 %: \(share <= 0.5 ? "met" : "**missed**") |"
        )
    }

    private static func processorTime() -> Double {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }
}
