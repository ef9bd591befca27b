#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a page has its browser ask the person for: a passkey.
public struct WebPrompt: Sendable, Hashable, Encodable {
    /// Names the prompt in its answer.
    public var id: String
    /// Whether a credential is made rather than used.
    public var creates: Bool
    /// The options in JSON, as `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` take them.
    public var options: String

    /// A prompt of these parts.
    public init(id: String, creates: Bool, options: String) {
        self.id = id
        self.creates = creates
        self.options = options
    }
}

/// What a server tells a page, in the stream of events or as the answer to a post.
public struct WebMessage: Sendable, Hashable, Encodable {
    /// Whether the session is locked: a page that shows content takes it out of the document.
    public var isLocked: Bool
    /// Whether the session has ended.
    public var isOver: Bool
    /// The name of the screen that is to be seen, ``WebPage/screen``; empty for the host's content.
    public var screen: String
    /// What is new on it; `nil` for nothing.
    public var patch: WebPatch?
    /// What the browser is to ask for; `nil` for nothing.
    public var prompt: WebPrompt?

    /// A message of these parts.
    public init(
        isLocked: Bool,
        isOver: Bool = false,
        screen: String,
        patch: WebPatch? = nil,
        prompt: WebPrompt? = nil
    ) {
        self.isLocked = isLocked
        self.isOver = isOver
        self.screen = screen
        self.patch = patch
        self.prompt = prompt
    }

    /// The message in JSON, without line ends.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts, numbers and truth values can always be written.
        return (try? encoder.encode(self)).map { Array($0) } ?? Array("{}".utf8)
    }

    /// The message as an event of a `text/event-stream`.
    public var event: [UInt8] { Array("data: ".utf8) + json + Array("\n\n".utf8) }
}
