import Foundation
import Testing

@testable import TerminalOutput

@Suite struct TerminalTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    var isTerminal = true
    var windowWidth: Int?
    var environment: [String: String] = [:]
    var width = 80
    var usesColor = true

    var testDescription: String { "\(isTerminal) \(windowWidth ?? -1) \(environment)" }
  }

  private static let cases: [Case] = [
    Case(),
    Case(windowWidth: 132, width: 132),
    Case(windowWidth: 0),
    Case(windowWidth: 132, environment: ["COLUMNS": "60"], width: 60),
    Case(windowWidth: 132, environment: ["COLUMNS": "0"], width: 132),
    Case(windowWidth: 132, environment: ["COLUMNS": "-5"], width: 132),
    Case(windowWidth: 132, environment: ["COLUMNS": "wide"], width: 132),
    Case(windowWidth: 132, environment: ["COLUMNS": "99999999999999999999"], width: 132),
    Case(environment: ["COLUMNS": "999999999"]),
    Case(environment: ["NO_COLOR": "1"], usesColor: false),
    Case(environment: ["NO_COLOR": "0"], usesColor: false),
    Case(environment: ["NO_COLOR": ""]),
    Case(environment: ["TERM": "dumb"], usesColor: false),
    Case(environment: ["CLICOLOR": "0"], usesColor: false),
    Case(isTerminal: false, environment: ["CLICOLOR_FORCE": "1"]),
    Case(isTerminal: false, environment: ["CLICOLOR_FORCE": "0"], usesColor: false),
    Case(environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], usesColor: false),
    Case(environment: ["TERM": "xterm-256color"]),
    Case(isTerminal: false, usesColor: false),
    Case(isTerminal: false, environment: ["COLUMNS": "60"], width: 60, usesColor: false),
  ]

  @Test(arguments: cases) private func `The environment determines the terminal's properties`(_ example: Case) {
    let terminal = Terminal(
      isTerminal: example.isTerminal, windowWidth: example.windowWidth, environment: { example.environment[$0] })
    #expect(
      terminal == Terminal(isTerminal: example.isTerminal, width: example.width, usesColor: example.usesColor))
  }

  @Test func `A file is not a terminal`() throws {
    let descriptor = open("/dev/null", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let terminal = Terminal(descriptor: descriptor)
    #expect(!terminal.isTerminal)
    #expect(!terminal.usesColor)
  }

  @Test(.enabled(if: getenv("COLUMNS") == nil)) func `The window of a real terminal is measured`() throws {
    var (controller, descriptor): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 40, ws_col: 123, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&controller, &descriptor, nil, nil, &size) == 0)
    defer {
      close(controller)
      close(descriptor)
    }
    let terminal = Terminal(descriptor: descriptor)
    #expect(terminal.isTerminal)
    #expect(terminal.width == 123)
  }

  @Test func `The standard streams have a width`() {
    #expect(Terminal.standardOutput.width > 0)
    #expect(Terminal.standardError.width > 0)
  }
}
