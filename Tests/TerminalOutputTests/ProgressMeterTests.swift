import TerminalOutput
import Testing

@Suite struct ProgressMeterTests {
  /// A clock that only advances when a test sets it.
  private final class ManualClock {
    var time = Duration.seconds(1000)
  }

  private let clock = ManualClock()
  private let output = MemoryOutput()

  private func meter(width: Int = 12, isTerminal: Bool = true, total: Int? = nil) -> ProgressMeter {
    ProgressMeter(
      unit: "rows", total: total, terminal: Terminal(isTerminal: isTerminal, width: width), output: output,
      now: { [clock] in clock.time })
  }

  @Test func `A task of less than a fifth of a second has no rate and no time left`() {
    let meter = meter(width: 100, total: 10)
    for milliseconds in [199, 1] {
      clock.time += .milliseconds(milliseconds)
      meter.clear()
      meter.update(completed: 5)
      let line = output.text.split(separator: "\r").last ?? ""
      #expect(line.contains("5/10 rows") && line.contains("/s") == (milliseconds == 1), "\(line)")
    }
  }

  @Test func `A bar in a window that is made narrower never runs over its lines`() {
    var width = 60
    let meter = ProgressMeter(
      unit: "rows", total: 100, terminal: Terminal(isTerminal: true, width: width), output: output,
      now: { [clock] in clock.time })
    for (step, columns) in [60, 40, 30, 12, 60].enumerated() {
      width = columns
      clock.time += .milliseconds(200)
      meter.update(completed: step * 20)
      let line = output.text.split(separator: "\r").last ?? ""
      // What was drawn before may be anywhere in the line.
      #expect(DisplayWidth.of(String(line)) == columns - 1 || step == 0)
      #expect(line.contains("%"))
    }
    width = 10
    meter.finish()
    #expect(output.text.hasSuffix("\r" + String(repeating: " ", count: 9) + "\r"))
  }

  @Test func `Nothing is drawn without a terminal`() {
    let meter = meter(isTerminal: false)
    meter.update(completed: 1)
    meter.clear()
    meter.finish()
    #expect(output.text == "")
  }

  @Test func `The bar overwrites itself and is cleared`() {
    let meter = meter()
    meter.update(completed: 10)
    clock.time += .milliseconds(100)
    meter.update(completed: 2)
    meter.finish()
    meter.finish()
    meter.update(completed: 3)
    #expect(output.text.unicodeScalars.elementsEqual("\r 10 rows\r 2 rows \r       \r".unicodeScalars))
  }

  @Test func `The bar is drawn ten times a second`() {
    let meter = meter()
    for completed in 0..<2000 {
      meter.update(completed: completed)
      clock.time += .milliseconds(1)
    }
    #expect(output.text.unicodeScalars.count { $0 == "\r" } == 20)
  }

  @Test func `The bar returns at once after a message`() {
    let meter = meter()
    meter.update(completed: 1)
    meter.clear()
    meter.update(completed: 2)
    #expect(output.text.unicodeScalars.elementsEqual("\r 1 rows\r       \r\r 2 rows".unicodeScalars))
  }

  @Test func `The last column stays free`() {
    let meter = meter(width: 7)
    meter.update(completed: 1)
    #expect(output.text == "")
  }

  @Test func `Write failures are ignored`() {
    let meter = ProgressMeter(
      unit: "rows", total: 5, terminal: Terminal(isTerminal: true), output: StandardOutput(descriptor: -1))
    meter.update(completed: 1)
    meter.finish()
  }

  @Test func `The clock never goes backwards`() {
    let before = MonotonicTime.now()
    #expect(MonotonicTime.now() >= before)
  }
}
