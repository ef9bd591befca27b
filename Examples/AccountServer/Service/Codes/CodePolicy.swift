/// The limits of codes that are mailed.
///
/// Requests are counted for an address and role. So an address without an account has the same limits.
package struct CodePolicy: Sendable, Hashable {
    /// How long a code is valid.
    package var validity = Duration.seconds(15 * 60)
    /// How many tries a code has.
    package var tries = 5
    /// How many codes one network can request for one address before it has to pause.
    package var requests = 3
    /// The first pause of a network; each further request within a day doubles it.
    package var pause = Duration.seconds(5 * 60)
    /// How many codes all networks together can request for one address within a day before all of them have
    /// to pause.
    ///
    /// The number is above what one network can request, so one network alone cannot hold the others up.
    package var requestsOfAll = 50
    /// The pause between two requests for one address from any networks, after ``requestsOfAll`` requests.
    ///
    /// Together with the tries of each code, the pause limits how many guesses are possible in a day.
    package var pauseOfAll = Duration.seconds(5 * 60)
    /// How many networks are remembered as known: networks that requested a code that was then used.
    /// ``pauseOfAll`` does not hold for known networks.
    package var knownNetworks = 8
    /// How long a network stays known after its code was used.
    package var memory = Duration.seconds(90 * 86_400)

    /// The number of items for the answers to requests, which all addresses share, and the number of items
    /// for codes, which addresses without an account share. Each purpose has its own items.
    ///
    /// Strangers can make up any number of addresses, and the store must not grow with them. With more items
    /// it is less frequent that another address uses the same item and a pause is forgotten.
    package var slots = 1_024

    /// Makes the default policy: fifteen minutes and five tries, three requests of a network and 50 of all
    /// before pauses.
    package init() {}
}
