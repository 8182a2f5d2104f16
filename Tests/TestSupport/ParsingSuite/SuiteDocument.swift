/// A file of the public JSON parsing test suite, `test_parsing` of nst/JSONTestSuite.
///
/// Whatever begins with `y_` has to be read and `n_` to be refused; `i_` is left to the reader. The files were put
/// together again by their names.
public struct SuiteDocument: Sendable, CustomStringConvertible {
  /// The file, without `.json`.
  public let name: String
  /// What the file holds.
  public let bytes: [UInt8]
  /// The error and its offset, such as `syntax@3`; `nil` if the document is read.
  public let fault: String?

  init(_ name: String, _ text: String, _ fault: String? = nil) {
    self.init(name, bytes: Array(text.utf8), fault)
  }

  init(_ name: String, bytes: [UInt8], _ fault: String? = nil) {
    self.name = name
    self.bytes = bytes
    self.fault = fault
  }

  /// All 318 files.
  public static let all =
    accepted + refusedContainers + refusedNumbers + refusedStrings + refusedStructures + undecided

  /// The document as a value that nobody asks for, in the JSON of a track by "A".
  public var inTrack: [UInt8] {
    Array(#"{"artists":[{"id":"1","name":"A","x":"#.utf8) + bytes + Array("}]}".utf8)
  }

  /// The name.
  public var description: String { name }
}
