import Foundation
import Testing

/// The server's OpenAPI document. It checks whether requests and answers match the document.
struct APIDocument: @unchecked Sendable {
    // Parsed JSON, which is never changed.
    private let root: [String: Any]

    init(_ data: Data) throws {
        root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    var operations: [(method: String, path: String)] {
        (root["paths"] as? [String: [String: Any]] ?? [:]).flatMap { path, item in
            item.keys.map { ($0.uppercased(), path) }
        }
    }

    /// Returns the differences from the document; empty if there are none.
    func faults(_ method: String, _ path: String, _ sent: Data?, _ reply: APIClient.Reply) -> [String] {
        let paths = root["paths"] as? [String: [String: Any]] ?? [:]
        let name = "\(method) \(path) → \(reply.status)"
        guard let item = paths[path] else {
            return reply.status == 404 ? problemFaults(reply, name) : ["\(name): an unknown path is a 404"]
        }
        guard let operation = item[method.lowercased()] as? [String: Any] else {
            return reply.status == 405 ? problemFaults(reply, name) : ["\(name): an unknown method is a 405"]
        }
        let responses = operation["responses"] as? [String: Any] ?? [:]
        guard let response = resolve(responses["\(reply.status)"]) else {
            return ["\(name) is not in the document"]
        }
        var faults: [String] = []
        let content = response["content"] as? [String: [String: Any]] ?? [:]
        if let (type, media) = content.first {
            if !reply.type.hasPrefix(type) { faults.append("\(name): the type is \(reply.type)") }
            if type.contains("json") {
                faults += self.faults(JSONValue(reply.body), media["schema"], "\(name): body")
            }
        } else if !reply.body.isEmpty {
            faults.append("\(name): there is a body")
        }
        for (field, _) in response["headers"] as? [String: Any] ?? [:]
        where reply.fields[field.lowercased()] == nil {
            faults.append("\(name): the field \(field) is missing")
        }
        if (200..<300).contains(reply.status), let sent, !sent.isEmpty,
            let body = operation["requestBody"] as? [String: Any],
            let media = (body["content"] as? [String: [String: Any]])?["application/json"]
        {
            faults += self.faults(JSONValue(sent), media["schema"], "\(name): request")
        }
        return faults
    }

    private func problemFaults(_ reply: APIClient.Reply, _ name: String) -> [String] {
        (reply.type == "application/problem+json" ? [] : ["\(name): no problem document"])
            + faults(JSONValue(reply.body), ["$ref": "#/components/schemas/Problem"], name)
            + (reply.json?["status"] as? Int == reply.status ? [] : ["\(name): another status in the body"])
    }

    private func resolve(_ value: Any?) -> [String: Any]? {
        guard let value = value as? [String: Any] else { return nil }
        guard let path = value["$ref"] as? String else { return value }
        var found: Any? = root
        for part in path.dropFirst(2).split(separator: "/") {
            found = (found as? [String: Any])?[String(part)]
        }
        return found as? [String: Any]
    }

    /// Checks a value against JSON Schema, as far as the document uses it.
    private func faults(_ value: JSONValue?, _ schema: Any?, _ place: String) -> [String] {
        guard let schema = resolve(schema) else { return ["\(place): no schema"] }
        if let choices = schema["oneOf"] as? [Any] {
            let fitting = choices.count { faults(value, $0, place).isEmpty }
            return fitting == 1 ? [] : ["\(place): fits \(fitting) of the choices"]
        }
        switch (schema["type"] as? String, value) {
        case ("object", .object(let object)):
            let members = schema["properties"] as? [String: Any] ?? [:]
            let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
            let isClosed = schema["additionalProperties"] as? Bool == false
            let unknown = isClosed ? object.keys.filter { members[$0] == nil } : []
            return missing.map { "\(place).\($0) is missing" } + unknown.map { "\(place).\($0) is not known" }
                + members.flatMap { name, schema in
                    object[name].map { faults($0, schema, "\(place).\(name)") } ?? []
                }
        case ("string", .text(let text)):
            if let words = schema["enum"] as? [String], !words.contains(text) {
                return ["\(place) is no such word"]
            }
            if let least = schema["minLength"] as? Int, text.count < least {
                return ["\(place) is too short"]
            }
            if let most = schema["maxLength"] as? Int, text.count > most { return ["\(place) is too long"] }
            if let pattern = schema["pattern"] as? String,
                text.range(of: pattern, options: .regularExpression) == nil
            {
                return ["\(place) does not match"]
            }
            return []
        case ("integer", .number(let number)):
            if let least = schema["minimum"] as? Int, number < least { return ["\(place) is too small"] }
            if let most = schema["maximum"] as? Int, number > most { return ["\(place) is too large"] }
            return []
        case ("null", .null): return []
        case ("boolean", .flag(let flag)):
            let flags = schema["enum"] as? [Bool]
            return flags?.contains(flag) ?? true ? [] : ["\(place) is the wrong flag"]
        case (let type, _): return ["\(place) is no \(type ?? "schema with a type")"]
        }
    }
}

/// A JSON value that distinguishes 1 from true.
private enum JSONValue: Decodable {
    case flag(Bool)
    case number(Int)
    case text(String)
    case object([String: JSONValue])
    case null
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else {
            self = .other
        }
    }

    init?(_ data: Data) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
        self = value
    }
}
