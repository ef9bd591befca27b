#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A request to the browser to ask the person for a passkey.
public struct WebPrompt: Sendable, Hashable, Encodable {
    /// The id of the prompt. The page posts the answer to `prompt/`, followed by the id.
    public var id: String
    /// Whether the browser creates a credential instead of using one.
    public var creates: Bool
    /// The options in JSON, as `PublicKeyCredential.parseCreationOptionsFromJSON` or
    /// `parseRequestOptionsFromJSON` expect them.
    public var options: String

    /// Makes a prompt of these parts.
    public init(id: String, creates: Bool, options: String) {
        self.id = id
        self.creates = creates
        self.options = options
    }
}

/// A message from a server to a page, in the stream of events or as the answer to a post.
public struct WebMessage: Sendable, Hashable, Encodable {
    /// The session's name in the messages; empty if the server has only one session. A page that gets a
    /// message of another session, because the browser has another cookie by now, removes its content and is
    /// loaded again. The name must not be the session's cookie, because scripts can read the name.
    public var session: String
    /// Whether the session is locked. If it is locked, a page that shows the host's content removes the
    /// content from the document.
    public var isLocked: Bool
    /// Whether the session has ended.
    public var isOver: Bool
    /// The name of the screen to show (see ``WebPage/screen``); empty if the page shows the host's content.
    public var screen: String
    /// The changes of the screen; `nil` if there is no screen.
    public var patch: WebPatch?
    /// The prompt that the browser shows; `nil` if there is none.
    public var prompt: WebPrompt?
    /// The number of messages that the session made before this one. Messages may arrive out of order. If a
    /// page has already received a message with a higher number, it neither opens nor closes a prompt because
    /// of this message.
    public var number: Int

    /// Makes a message of these parts.
    public init(
        session: String = "",
        isLocked: Bool,
        isOver: Bool = false,
        screen: String,
        patch: WebPatch? = nil,
        prompt: WebPrompt? = nil,
        number: Int = 0
    ) {
        self.session = session
        self.isLocked = isLocked
        self.isOver = isOver
        self.screen = screen
        self.patch = patch
        self.prompt = prompt
        self.number = number
    }

    /// The message in JSON, without line breaks.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The encoder cannot fail here, because the message has only texts, numbers and truth values.
        return (try? encoder.encode(self)).map { Array($0) } ?? Array("{}".utf8)
    }

    /// The message as an event of a `text/event-stream`.
    public var event: [UInt8] { Array("data: ".utf8) + json + Array("\n\n".utf8) }
}
