#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Starting of threads.
package enum Threads {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(
            &thread,
            nil,
            { context in
                #if canImport(Darwin)
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                #else
                unsafe Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                #endif
                return nil
            },
            context
        )
        // As with memory: a process that cannot have one more thread cannot go on.
        precondition(result == 0, "no thread could be started")
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    /// Lets the current thread, which must be one of ours, wait.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}
