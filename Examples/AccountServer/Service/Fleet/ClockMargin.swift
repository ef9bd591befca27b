extension CodePolicy {
    /// The policy for servers whose clocks may differ by the margin: codes live shorter, pauses are longer.
    func judged(with margin: Duration) -> CodePolicy {
        var policy = self
        policy.validity -= margin
        policy.pause += margin
        policy.pauseOfAll += margin
        return policy
    }
}
