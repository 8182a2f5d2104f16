internal import SystemC

/// Tells how much time passes, unaffected by changes of the date.
public enum MonotonicTime {
  /// The time since some moment in the past that stays the same while the process runs.
  public static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
