import Testing

@testable import CommandLineArguments

@Suite struct KebabCaseTests {
  @Test(arguments: [
    ("limit", "limit"),
    ("minTracks", "min-tracks"),
    ("exportURL", "export-url"),
    ("HTTPServer", "http-server"),
    ("useHTTPSNow", "use-https-now"),
    ("sha256Sum", "sha256-sum"),
    ("_hidden", "hidden"),
    ("A", "a"),
  ])
  func `A kebab-case name is split at capitals and keeps acronyms together`(name: String, expected: String) {
    #expect(name.kebabCased == expected)
  }
}
