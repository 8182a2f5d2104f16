internal import TerminalOutput

/// Swift source that declares the classes of a model, and the parts of the model that it cannot express.
package struct ClassSource: Sendable {
  /// The effect of a part that cannot be expressed on the version hash that the source gives.
  package enum HashEffect: String, Sendable, Hashable {
    case none = ""
    case mayDiffer = "; the version hash may differ"
    case differs = "; the version hash differs"
  }

  /// A part of the model that the source cannot express.
  package struct Remark: Sendable, Hashable {
    /// The version, entity and property that it is about.
    package let place: String
    /// The problem, as a sentence without its period.
    package let problem: String
    /// The effect on the version hash.
    package let effect: HashEffect

    /// The problem and its effect, without a period.
    package var text: String { problem + effect.rawValue }
  }

  /// The source.
  package private(set) var text = ""
  /// The parts that cannot be expressed, in the order of their comments in the source.
  package private(set) var remarks: [Remark] = []
  /// The version that is written, if there are several.
  var versionName: String?
  private var depth = 0

  /// The beginning of a file.
  init(of name: String, imports: [String]) {
    comment("Made from '\(name)' by tracks-migrate.")
    line()
    for module in imports { line("import \(module)") }
  }

  mutating func line(_ line: String = "") {
    text += (line.isEmpty ? "" : String(repeating: "    ", count: depth) + line) + "\n"
  }

  /// Writes a comment of one line, which no name in it can end.
  mutating func comment(_ text: String) { line("// \(text.visible)") }

  mutating func block(_ head: String, _ body: (inout ClassSource) -> Void) {
    line("\(head) {")
    indented(body)
    line("}")
  }

  mutating func indented(_ body: (inout ClassSource) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Writes what stands in parentheses or brackets, one element a line if it is long.
  mutating func list(_ head: String, _ elements: [String], _ end: String) {
    let line = head + elements.joined(separator: ", ") + end
    guard line.count > 90 else { return self.line(line) }
    self.line(head)
    indented { source in
      for (place, element) in elements.enumerated() {
        source.line(element + (place == elements.count - 1 ? "" : ","))
      }
    }
    self.line(end)
  }

  /// Says beside a declaration, and in the list of remarks, what it cannot express.
  mutating func remark(_ place: String, _ problem: String, _ effect: HashEffect = .none) {
    let remark = Remark(
      place: versionName.map { "version '\($0)', \(place)" } ?? place, problem: problem, effect: effect)
    remarks.append(remark)
    comment("\(remark.text.prefix(1).uppercased())\(remark.text.dropFirst()).")
  }
}
