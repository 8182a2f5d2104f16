import TerminalOutput
import Testing

@Suite struct NumberFormatTests {
  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (123_456, "123,456"), (1_234_567, "1,234,567"), (-1, "-1"),
    (-999, "-999"), (-1000, "-1,000"), (Int64.max, "9,223,372,036,854,775,807"),
    (Int64.min, "-9,223,372,036,854,775,808"),
  ]) func `Thousands are separated`(number: Int64, text: String) {
    #expect(NumberFormat.grouped(number) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (1023, "1,023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_524, "1,023.9 KiB"),
    (1_048_525, "1.0 MiB"), (20 << 20, "20.0 MiB"), (5 << 30, "5.0 GiB"), (3 << 40, "3.0 TiB"),
    (Int64.max, "8,388,608.0 TiB"), (-5, "-5 B"),
  ]) func `Byte counts have units`(count: Int64, text: String) {
    #expect(NumberFormat.bytes(count) == text)
  }

  @Test(arguments: [
    (Duration.zero, "0.00 s"), (.milliseconds(4), "0.00 s"), (.milliseconds(5), "0.01 s"),
    (.milliseconds(840), "0.84 s"),
    (.milliseconds(9994), "9.99 s"), (.milliseconds(9995), "10.0 s"), (.milliseconds(12_345), "12.3 s"),
    (.milliseconds(59_949), "59.9 s"), (.milliseconds(59_950), "1 min 00 s"), (.seconds(125), "2 min 05 s"),
    (.milliseconds(3_599_499), "59 min 59 s"), (.milliseconds(3_599_500), "1 h 00 min"), (.seconds(3720), "1 h 02 min"),
    (.seconds(4_000_000), "1,111 h 07 min"), (.seconds(-3), "0.00 s"),
    (.seconds(Int64.max), "277,777,777,777 h 47 min"),
  ]) func `Durations have units`(duration: Duration, text: String) {
    #expect(NumberFormat.duration(duration) == text)
  }

  @Test(arguments: [
    (Duration.zero, "0:00"), (.seconds(4), "0:04"), (.milliseconds(59_500), "1:00"), (.seconds(750), "12:30"),
    (.seconds(3723), "1:02:03"), (.seconds(-1), "0:00"),
  ]) func `Clock times have minutes and seconds`(duration: Duration, text: String) {
    #expect(NumberFormat.clock(duration) == text)
  }

  private static let rates: [(count: Int, duration: Duration, text: String?)] = [
    (0, .seconds(1), "0.0/s"), (5, .seconds(2), "2.5/s"), (99, .seconds(10), "9.9/s"),
    (100, .seconds(10), "10/s"),
    (999, .seconds(1), "999/s"), (9996, .seconds(10), "1,000/s"), (420_000, .milliseconds(2780), "151,000/s"),
    (1234, .seconds(1), "1,230/s"), (5, .zero, nil), (5, .seconds(-1), nil), (Int.max, .nanoseconds(1), nil),
  ]

  @Test(arguments: rates) func `Rates have three digits`(count: Int, duration: Duration, text: String?) {
    #expect(NumberFormat.rate(count, in: duration) == text)
  }
}
