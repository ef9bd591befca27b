/// What other content means for the picture.
public enum FaceChange: Sendable, Hashable {
    /// The picture stays as it is.
    case nothing
    /// It is to be drawn anew.
    case picture
    /// It is to be drawn anew, and shaken for an error.
    case error
}
