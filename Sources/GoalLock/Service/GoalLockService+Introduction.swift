public import PortcullisCore

extension GoalLockService {
    /// Whether the feature still has to be introduced to the person on this device.
    ///
    /// - Throws: ``GoalErrorCode/store`` when the record of the introduction cannot be read.
    public func needsIntroduction() async throws(GoalError) -> Bool {
        do {
            return try await backends.secrets.read(GoalNames.introduced) == nil
        } catch {
            throw GoalError(error)
        }
    }

    /// Records that the feature was introduced. The record remains even if the lock's state is removed.
    ///
    /// - Throws: ``GoalErrorCode/store`` when the record cannot be written.
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
