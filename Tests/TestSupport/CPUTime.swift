internal import Foundation

/// The time for which this thread has had a processor: on a busy machine a clock would tell what others did.
public enum CPUTime {
  /// How long work takes, if it stays on this thread.
  public static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start = now
    try work()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
