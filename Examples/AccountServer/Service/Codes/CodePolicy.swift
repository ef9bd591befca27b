/// The limits of codes that are mailed.
///
/// Requests are counted for an address and role, not for an account, so an address without one is limited alike.
package struct CodePolicy: Sendable, Hashable {
    /// How long a code is good.
    package var validity = Duration.seconds(15 * 60)
    /// How many tries a code has.
    package var tries = 5
    /// How many codes one network can request for one address before it has to pause.
    package var requests = 3
    /// The first pause of a network; each further request within a day doubles it.
    package var pause = Duration.seconds(5 * 60)
    /// How many codes all networks together can request for one address within a day before there are pauses for all.
    ///
    /// More than one network gets to, so that one alone cannot hold the others up.
    package var requestsOfAll = 50
    /// The pause between two requests for one address, from whatever network, after ``requestsOfAll``.
    ///
    /// With the tries of each code it bounds what can be guessed in a day.
    package var pauseOfAll = Duration.seconds(5 * 60)
    /// How many networks are known that asked for a code which was used: ``pauseOfAll`` does not hold for them.
    package var knownNetworks = 8
    /// How long a network is known after that.
    package var memory = Duration.seconds(90 * 86_400)

    /// How many items the addresses share by which requests are answered, and how many those without an account; for each
    /// purpose.
    ///
    /// Strangers can make up any number of addresses, and the store must not grow with it. With more items a pause is
    /// forgotten less often because another address has the same item.
    package var slots = 1_024

    /// Fifteen minutes and five tries; three requests of a network and 50 of all, then pauses.
    package init() {}
}
