internal import Foundation

/// The sanitizer that the tests and the command were built with, if `Scripts/sanitize.sh` runs them.
public enum Sanitizer {
  /// Whether there is one.
  ///
  /// Tests that measure memory are skipped then: a sanitizer keeps what was released, and a record of every byte.
  public static let isOn = ProcessInfo.processInfo.environment["SANITIZER"] != nil
  /// How much longer work may take.
  public static let slowness: Double = isOn ? 10 : 1
  /// The variables that a sanitizer reads, which processes of the tests must find too.
  public static let variables = ["SANITIZER", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"]
}
