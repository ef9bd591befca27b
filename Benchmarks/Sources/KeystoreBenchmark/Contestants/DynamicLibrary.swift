import Foundation

/// A C library that is loaded when it is there.
///
/// Linking would make every one of them necessary for building this, and SQLCipher has the names of SQLite: loaded, each
/// keeps its own.
@safe
struct DynamicLibrary {
    private let handle: UnsafeMutableRawPointer

    /// - Returns: `nil` when the library is not installed.
    init?(_ name: String) {
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        unsafe self.handle = unsafe handle
    }

    /// A function of the library; the caller knows its type from the library's header.
    func function<Function>(_ name: String, _ type: Function.Type = Function.self) throws -> Function {
        unsafe unsafeBitCast(try unsafe address(name), to: type)
    }

    @unsafe
    func address(_ name: String) throws -> UnsafeMutableRawPointer {
        guard let address = unsafe dlsym(handle, name) else { throw MeasuringFailed("\(name) is missing") }
        return unsafe address
    }
}
