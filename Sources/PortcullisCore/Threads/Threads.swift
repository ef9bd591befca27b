#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The system gave no thread.
package struct ThreadRefusal: Error, Sendable {
    /// The system's number.
    package let errno: Int32
}

/// Starting of threads.
package enum Threads {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread; where the system has none left it waits for one, as Dispatch does for its own.
    ///
    /// A process that ended for want of a thread would lose what it holds, and one that locks would end locked.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        while true {
            do throws(ThreadRefusal) { return try startAtOnce(body) } catch {
                // What else it fails with no time mends, and no call here brings about.
                precondition(error.errno == EAGAIN, "no thread could be started")
                sleep(microseconds: 50_000)
            }
        }
    }

    /// Starts a detached thread.
    ///
    /// - Throws: ``ThreadRefusal`` where the system has none left, as at the limit of a user's processes.
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

    /// Lets the current thread, which must be one of ours, wait.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}
