#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The system refused to start a thread.
package struct ThreadRefusal: Error, Sendable {
    /// The error number of `pthread_create`.
    package let errno: Int32
}

/// Starts threads and lets them sleep.
package enum Threads {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread. If the system has no thread left, the call waits for a thread, as Dispatch
    /// does.
    ///
    /// The call does not end the process in this case. If it did, unsaved data would be lost, and an app
    /// could end while it is locked.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        while true {
            do throws(ThreadRefusal) { return try startAtOnce(body) } catch {
                // Waiting helps only against `EAGAIN`, a lack of resources. Other errors cannot occur: they
                // are about attributes, and no attributes are given.
                precondition(error.errno == EAGAIN, "no thread could be started")
                sleep(microseconds: 50_000)
            }
        }
    }

    /// Starts a detached thread.
    ///
    /// - Throws: ``ThreadRefusal`` when the system has no thread left, as at the limit of a user's processes.
    package static func startAtOnce(_ body: @escaping @Sendable () -> Void) throws(ThreadRefusal) {
        let context = unsafe Unmanaged.passRetained(Body(body))
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
            context.toOpaque()
        )
        guard result == 0 else {
            unsafe context.release()
            throw ThreadRefusal(errno: result)
        }
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    /// Lets the current thread sleep. That thread must not belong to Swift's shared pool.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}
