public import PortcullisCore

extension GoalLockService {
    /// Whether the feature has yet to be introduced to the person on this device.
    ///
    /// - Throws: ``GoalErrorCode/store`` when the note cannot be read.
    public func needsIntroduction() async throws(GoalError) -> Bool {
        do {
            return try await backends.secrets.read(GoalNames.introduced) == nil
        } catch {
            throw GoalError(error)
        }
    }

    /// Notes that the feature was introduced; the note outlives the lock's state.
    ///
    /// - Throws: ``GoalErrorCode/store`` when it cannot be written.
    public func noteIntroduced() async throws(GoalError) {
        do {
            _ = try await backends.secrets.write(
                SecretBytes(copying: []),
                to: GoalNames.introduced,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: .none
            )
        } catch {
            throw GoalError(error)
        }
    }
}
