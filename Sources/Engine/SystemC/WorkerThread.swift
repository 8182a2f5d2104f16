/// A thread of this process, which the system may refuse.
///
/// Foundation's `Thread` and Dispatch's queues do not say that a thread could not be started (`EAGAIN`: a limit on processes,
/// as `ulimit -u` or a container has), and what waits for its work then waits forever. This is the only place that starts
/// threads; callers do without one that is refused, and give the same result.
package final class WorkerThread: @unchecked Sendable {
  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let handle: pthread_t
  /// Accessed only by the thread that joins.
  private var isJoined = false

  /// Starts a thread; `nil` if the system refuses one.
  package init?(_ work: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(work))
    // Signals reach the thread that waits for files and pipes, so that its calls end (`EINTR`). Those that an instruction
    // raises are left alone.
    var (blocked, before) = (sigset_t(), sigset_t())
    sigfillset(&blocked)
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Glibc)
      var handle = pthread_t()
      let number = pthread_create(
        &handle, nil,
        { work in
          if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
          return nil
        }, work.toOpaque())
      let started: pthread_t? = number == 0 ? handle : nil
    #else
      var started: pthread_t?
      let number = pthread_create(
        &started, nil,
        { work in
          #if canImport(Darwin)
            Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
          #else
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
          #endif
          return nil
        }, work.toOpaque())
    #endif
    guard number == 0, let started else {
      work.release()
      return nil
    }
    self.handle = started
  }

  deinit { if !isJoined { pthread_detach(handle) } }

  /// Waits until the thread has ended; called by one thread, and not by itself.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(handle, nil)
  }
}
