/// The effect of new content on the picture.
public enum FaceChange: Sendable, Hashable {
    /// The picture does not change.
    case nothing
    /// The picture has to be drawn again.
    case picture
    /// The picture has to be drawn again and shaken, because of an error.
    case error
}
