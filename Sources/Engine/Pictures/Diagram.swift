internal import TerminalOutput

/// Boxes and arrows: the entities of a model, or the versions that a migration goes through.
///
/// One description, written as Mermaid, as DOT of Graphviz, or drawn as SVG.
package struct Diagram: Sendable {
  /// The arrangements of boxes.
  package enum Kind: Sendable {
    /// Anywhere, those that are connected near each other.
    case network
    /// One below the other, in their order.
    case chain
  }

  /// The change of something between two versions.
  package enum Change: String, Sendable {
    case none, added, removed, changed

    /// A sign, for those who do not see colours.
    var sign: String {
      switch self {
      case .none: ""
      case .added: "+"
      case .removed: "−"
      case .changed: "~"
      }
    }
  }

  /// A line of a box.
  package struct Field: Sendable {
    package let name: String
    /// The type of a value, or the box to which this leads.
    package let type: String
    /// Whether it leads to one or to many.
    package let link: Arrow.End
    /// More about it, in a word or two.
    package let notes: [String]
    package let change: Change

    package init(
      _ name: String, _ type: String, link: Arrow.End = .none, notes: [String] = [], _ change: Change = .none
    ) {
      (self.name, self.type, self.link, self.notes, self.change) = (name, type, link, notes, change)
    }

    /// The type and the notes as a reader sees them.
    fileprivate var description: String {
      let kind = link == .none ? type : link == .many ? "→ \(type) (many)" : "→ \(type)"
      return ([kind] + notes).joined(separator: ", ")
    }
  }

  package struct Box: Sendable {
    package let name: String
    package let note: String?
    package let fields: [Field]
    package let change: Change

    package init(_ name: String, note: String? = nil, _ fields: [Field] = [], _ change: Change = .none) {
      (self.name, self.note, self.fields, self.change) = (name, note, fields, change)
    }
  }

  package struct Arrow: Sendable {
    /// The meanings of an arrow's end.
    package enum End: Sendable {
      case none, one, many, parent
    }

    package let from, to: Int
    package let label: [String]
    package let ends: (from: End, to: End)
    package let change: Change

    package init(
      _ from: Int, _ to: Int, _ label: [String], ends: (from: End, to: End) = (.none, .one), _ change: Change = .none
    ) {
      (self.from, self.to, self.label, self.ends, self.change) = (from, to, label, ends, change)
    }
  }

  private let kind: Kind
  private let title: String
  private let boxes: [Box]
  private let arrows: [Arrow]

  package init(_ kind: Kind, _ title: String, _ boxes: [Box], _ arrows: [Arrow]) {
    (self.kind, self.title, self.boxes, self.arrows) = (kind, title, boxes, arrows)
  }
}

// MARK: - Text

extension Diagram {
  /// The diagram as Mermaid, which GitHub and GitLab draw in Markdown.
  package var mermaid: String {
    kind == .network ? entityMermaid : flowMermaid
  }

  private var entityMermaid: String {
    var lines = ["erDiagram"]
    for box in boxes {
      let notes = [box.change == .none ? nil : box.change.rawValue, box.note].compactMap(\.self)
      let alias =
        notes.isEmpty
        ? "" : "[\"\(Self.quoted(([box.name] + ["(\(notes.joined(separator: ", ")))"]).joined(separator: " ")))\"]"
      lines.append("  \"\(Self.quoted(box.name))\"\(alias) {")
      for field in box.fields {
        // Types and names are words; what is not is spelled out in the comment.
        let (type, name) = (Self.word(field.type) + (field.link == .many ? "[]" : ""), Self.word(field.name))
        let notes =
          [field.change == .none ? nil : field.change.rawValue, name == field.name ? nil : field.name]
          .compactMap(\.self) + field.notes
        let comment = notes.isEmpty ? "" : " \"\(Self.quoted(notes.joined(separator: ", ")))\""
        lines.append("    \(type) \(name)\(comment)")
      }
      lines.append("  }")
    }
    for arrow in arrows {
      let (left, right) =
        switch (arrow.ends.from, arrow.ends.to) {
        case (_, .parent): ("||", "||")
        case (let from, let to): (from == .many ? "}o" : "|o", to == .many ? "o{" : "o|")
        }
      let line = arrow.ends.to == .parent ? ".." : "--"
      let change = arrow.change == .none ? "" : " (\(arrow.change.rawValue))"
      lines.append(
        "  \"\(Self.quoted(boxes[arrow.from].name))\" \(left)\(line)\(right) \"\(Self.quoted(boxes[arrow.to].name))\" : "
          + "\"\(Self.quoted(arrow.label.joined(separator: " / ") + change))\"")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var flowMermaid: String {
    var lines = ["flowchart TD"]
    for (number, box) in boxes.enumerated() {
      let text = ([box.name] + [box.note].compactMap(\.self) + box.fields.map { "\($0.name): \($0.type)" })
      lines.append("  v\(number)[\"\(text.map(Self.quoted).joined(separator: "<br/>"))\"]")
    }
    for arrow in arrows {
      lines.append(
        "  v\(arrow.from) -->|\"\(arrow.label.map(Self.quoted).joined(separator: "<br/>"))\"| v\(arrow.to)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text in quotation marks of Mermaid, in which no character means anything.
  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "#", "<", ">", "&", "`", "\\", "{", "}", "[", "]", ";", "%": quoted += "#\(scalar.value);"
      case _ where scalar.steersTerminals: quoted += " "
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted.isEmpty ? " " : quoted
  }

  /// A word as Mermaid has them.
  private static func word(_ text: String) -> String {
    let word = String(
      text.map { character in
        character.isASCII && (character.isLetter || character.isNumber || character == "_") ? character : "_"
      })
    return word.first.map { $0.isLetter || $0 == "_" } == true ? word : "_\(word)"
  }

  /// The diagram as DOT, for Graphviz.
  package var dot: String {
    let nodes = boxes.enumerated().map { number, box -> HTML in
      let fields = box.fields.map { field -> HTML in
        """
        <tr><td align="left"><font color="\(Self.color(field.change))">\(field.change.sign)\(field.name)</font></td>\
        <td align="left">\(field.description)</td></tr>
        """
      }
      let note: HTML = box.note.map { "<br/><font point-size=\"10\">\($0)</font>" } ?? ""
      return """
        n\(number) [label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="4"><tr><td colspan="2" \
        bgcolor="\(Self.color(box.change, paper: true))"><b>\(box.change.sign)\(box.name.isEmpty ? " " : box.name)</b>\
        \(note)</td></tr>\(fields)</table>>];

        """
    }
    let edges = arrows.map { arrow -> HTML in
      let label = arrow.label.map { Self.dotQuoted($0) }.joined(separator: "\\n")
      func head(_ end: Arrow.End) -> String {
        switch end {
        case .none: "none"
        case .one: "normal"
        case .many: "normalnormal"
        case .parent: "empty"
        }
      }
      return HTML(
        trusted: """
          n\(arrow.from) -> n\(arrow.to) [label="\(label)" dir=both arrowtail=\(head(arrow.ends.from)) \
          arrowhead=\(head(arrow.ends.to)) color="\(Self.color(arrow.change))"\
          \(arrow.change == .removed ? " style=dashed" : "")];

          """)
    }
    return """
      digraph "\(Self.dotQuoted(title))" {
      graph [rankdir=\(kind == .chain ? "TB" : "LR")];
      node [shape=plain fontname="sans-serif" fontsize=12];
      edge [fontname="sans-serif" fontsize=10];
      \(nodes.map(\.text).joined())\(edges.map(\.text).joined())}

      """
  }

  private static func dotQuoted(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
          switch scalar {
          case "\"", "\\": ["\\", scalar]
          case _ where scalar.steersTerminals: [" "]
          default: [scalar]
          }
        }))
  }

  private static func color(_ change: Change, paper: Bool = false) -> String {
    switch change {
    case .none: paper ? "#eef1f4" : "#24292f"
    case .added: paper ? "#dafbe1" : "#116329"
    case .removed: paper ? "#ffebe9" : "#a40e26"
    case .changed: paper ? "#fff8c5" : "#7d4e00"
    }
  }
}

// MARK: - Drawing

extension Diagram {
  /// The diagram as a file of its own.
  package var svg: String {
    let (size, body) = drawing
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(size.width)) \(number(size.height))" \
      width="\(number(size.width))" height="\(number(size.height))" role="img">
      <title>\(HTML.escaped(title))</title>
      <style>\(Self.style)</style>
      <rect class="paper" width="100%" height="100%"/>
      \(body.text)</svg>

      """
  }

  /// The diagram as a part of a page, with the same as a table.
  package var html: HTML {
    guard !boxes.isEmpty else { return "<figure><figcaption>\(title)</figcaption><p class=\"none\">None.</p></figure>" }
    let (size, body) = drawing
    let rows = boxes.flatMap { box -> [[HTML]] in
      let name = HTML.name(box.name + (box.note.map { " (\($0))" } ?? ""))
      let change: HTML = "\(box.change == .none ? "" : box.change.rawValue)"
      return [[name, "", "", change]]
        + box.fields.map { field in
          [
            name, .name(field.name), "\(field.description)",
            "\(field.change == .none ? "" : field.change.rawValue)",
          ]
        }
    }
    let lines = arrows.map { arrow -> [HTML] in
      [.name(boxes[arrow.from].name), .name(boxes[arrow.to].name), .name(arrow.label.joined(separator: ", "))]
    }
    let table: HTML =
      kind == .network
      ? .table(["Entity", "Property", "Type", "Change"], rows, caption: title)
      : .table(["From", "To", "By"], lines, caption: title)
    return """
      <figure class="chart diagram scrolls"><figcaption>\(title)</figcaption>
      <div class="scroll" tabindex="0" role="region" aria-label="\(title), drawn">
      <svg viewBox="0 0 \(size.width) \(size.height)" width="\(size.width)" height="\(size.height)" role="img" \
      aria-label="\(title): \(boxes.count) boxes and \(arrows.count) arrows, which the table below has too">
      \(body)</svg></div>
      <details><summary>As a table</summary>\(table)</details></figure>
      """
  }

  private func number(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

  private static let headHeight = 26.0
  private static let noteHeight = 16.0
  private static let rowHeight = 18.0

  private static func width(_ text: String) -> Double { Double(DisplayWidth.of(text)) * 6.9 }

  private func size(of box: Box) -> Layout.Size {
    let fields = box.fields.map { Self.width("\($0.change.sign) \($0.name)  \($0.description)") + 34 }
    let head = Self.width(box.name) * 1.12 + 28
    let height =
      Self.headHeight + (box.note == nil ? 0 : Self.noteHeight)
      + (box.fields.isEmpty ? 0 : Double(box.fields.count) * Self.rowHeight + 6)
    return Layout.Size(
      width: max(90, head, Self.width(box.note ?? "") + 24, fields.max() ?? 0), height: height)
  }

  /// The places of the boxes, and how large the picture is.
  private func placed(_ sizes: [Layout.Size]) -> (places: [Layout.Place], size: Layout.Size) {
    guard kind == .chain else {
      let area = sizes.reduce(0) { $0 + ($1.width + 60) * ($1.height + 60) }
      let canvas = Layout.Size(width: (area * 2.6).squareRoot(), height: (area * 1.3).squareRoot())
      let layout = Layout(
        sizes, arrows.filter { $0.from != $0.to }.map { ($0.from, $0.to) },
        canvas: Layout.Size(
          width: max(canvas.width, sizes.map(\.width).max() ?? 0),
          height: max(canvas.height, sizes.map(\.height).max() ?? 0)),
        gap: 26)
      return (layout.places, layout.size)
    }
    let widest = sizes.map(\.width).max() ?? 0
    let labels = arrows.flatMap(\.label).map(Self.width).max() ?? 0
    var y = 12.0
    let places = sizes.enumerated().map { number, size -> Layout.Place in
      defer {
        let lines = arrows.filter { $0.from == number }.map(\.label.count).max() ?? 0
        y += size.height + 34 + Double(lines) * 16
      }
      return Layout.Place(x: 12 + widest / 2, y: y + size.height / 2)
    }
    let bottom = (places.last?.y ?? 0) + (sizes.last?.height ?? 0) / 2
    return (places, Layout.Size(width: widest / 2 + max(widest / 2, labels + 22) + 24, height: bottom + 12))
  }

  private var drawing: (size: Layout.Size, body: HTML) {
    let sizes = boxes.map(size)
    let (places, size) = placed(sizes)
    let lines = arrows.filter { $0.from != $0.to }.map { arrow -> HTML in
      let from = border(places[arrow.from], sizes[arrow.from], towards: places[arrow.to])
      let to = border(places[arrow.to], sizes[arrow.to], towards: places[arrow.from])
      let text = arrow.label.joined(separator: ", ")
      let labels: HTML =
        kind == .chain
        ? "\(arrow.label.enumerated().map { line, label -> HTML in "<text class=\"note\" x=\"\(from.x + 14)\" y=\"\(from.y + 20 + Double(line) * 16)\">\(label)</text>" })"
        : ""
      return """
        <g class="line \(arrow.change.rawValue)"><title>\(text)</title>\
        <line x1="\(from.x)" y1="\(from.y)" x2="\(to.x)" y2="\(to.y)"/>\
        \(head(arrow.ends.to, at: to, from: from))\(head(arrow.ends.from, at: from, from: to))\(labels)</g>

        """
    }
    let drawn = zip(boxes, zip(places, sizes)).map { box, frame in draw(box, frame.0, frame.1) }
    return (size, "\(lines)\(drawn)")
  }

  private func draw(_ box: Box, _ place: Layout.Place, _ size: Layout.Size) -> HTML {
    let (x, y) = (place.x - size.width / 2, place.y - size.height / 2)
    var line = y + 18
    let name: HTML =
      "<text class=\"name\" x=\"\(x + 12)\" y=\"\(line)\">\([box.change.sign, box.name].filter { !$0.isEmpty }.joined(separator: " "))</text>"
    var note: HTML = ""
    if let text = box.note {
      line += Self.noteHeight
      note = "<text class=\"note\" x=\"\(x + 12)\" y=\"\(line)\">\(text)</text>"
    }
    line += 8
    let divider: HTML =
      box.fields.isEmpty
      ? "" : "<line class=\"divider\" x1=\"\(x)\" y1=\"\(line)\" x2=\"\(x + size.width)\" y2=\"\(line)\"/>"
    let fields = box.fields.enumerated().map { number, field -> HTML in
      let y = line + 15 + Double(number) * Self.rowHeight
      let sign = field.change.sign.isEmpty ? "" : "\(field.change.sign) "
      return """
        <g class="field \(field.change.rawValue)"><text x="\(x + 12)" y="\(y)">\(sign)\(field.name)</text>\
        <text class="type" x="\(x + size.width - 12)" y="\(y)">\(field.description)</text></g>

        """
    }
    return """
      <g class="box mark \(box.change.rawValue)"><title>\(box.name)</title><rect x="\(x)" y="\(y)" width="\(size.width)" \
      height="\(size.height)" rx="5"/>\(name)\(note)\(divider)
      \(fields)</g>

      """
  }

  /// Returns the place where a line from the middle of a box to another place leaves the box.
  private func border(_ place: Layout.Place, _ size: Layout.Size, towards other: Layout.Place) -> Layout.Place {
    let (dx, dy) = (other.x - place.x, other.y - place.y)
    guard dx != 0 || dy != 0 else { return place }
    let share = min(
      dx == 0 ? .infinity : size.width / 2 / abs(dx), dy == 0 ? .infinity : size.height / 2 / abs(dy))
    return Layout.Place(x: place.x + dx * share, y: place.y + dy * share)
  }

  /// One head for one, two for many, as Xcode draws relationships.
  private func head(_ end: Arrow.End, at place: Layout.Place, from other: Layout.Place) -> HTML {
    guard end != .none else { return "" }
    let (dx, dy) = (place.x - other.x, place.y - other.y)
    let length = max(0.01, (dx * dx + dy * dy).squareRoot())
    let (x, y) = (dx / length, dy / length)
    let heads = (end == .many ? [0.0, 8.0] : [0.0]).map { back -> HTML in
      let tip = Layout.Place(x: place.x - x * back, y: place.y - y * back)
      let base = Layout.Place(x: tip.x - x * 9, y: tip.y - y * 9)
      return """
        <path class="\(end == .parent ? "head open" : "head")" d="M\(tip.x) \(tip.y)L\(base.x - y * 4.5) \
        \(base.y + x * 4.5)L\(base.x + y * 4.5) \(base.y - x * 4.5)Z"/>
        """
    }
    return "\(heads)"
  }

  /// The colours of a file of its own; a page has the same in its style sheet.
  private static let style = """
    :root { --paper: #fff; --ink: #1b1f24; --quiet: #57606a; --line: #d0d7de; --panel: #f6f8fa; --edge: #8c959f; \
    --added: #116329; --added-paper: #dafbe1; --removed: #a40e26; --removed-paper: #ffebe9; --changed: #7d4e00; \
    --changed-paper: #fff8c5; }
    @media (prefers-color-scheme: dark) { :root { --paper: #0f1318; --ink: #e6edf3; --quiet: #a0abb7; --line: #343b44; \
    --panel: #181e25; --edge: #6e7781; --added: #7ee787; --added-paper: #12261e; --removed: #ffa198; \
    --removed-paper: #331a1e; --changed: #e3b341; --changed-paper: #2b2410; } }
    text { font: 12px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
    text { fill: var(--ink); }
    .paper { fill: var(--paper); }
    \(diagramStyle)
    """

  /// The style of a drawing's parts.
  static let diagramStyle = """
    .box rect { fill: var(--panel); stroke: var(--edge); }
    .box .name { font-weight: 600; font-size: 13px; }
    .box .note, .line .note { fill: var(--quiet); font-size: 11px; }
    .box .divider { stroke: var(--line); }
    .field .type { text-anchor: end; fill: var(--quiet); }
    .line line { stroke: var(--edge); stroke-width: 1.3; }
    .line .head { fill: var(--edge); stroke: var(--edge); }
    .line .open { fill: var(--paper); }
    .line:hover line { stroke: var(--ink); }
    .field.added text { fill: var(--added); }
    .field.removed text { fill: var(--removed); text-decoration: line-through; }
    .field.changed text { fill: var(--changed); }
    .box.added rect { fill: var(--added-paper); stroke: var(--added); }
    .box.removed rect { fill: var(--removed-paper); stroke: var(--removed); stroke-dasharray: 4 3; }
    .box.changed rect { fill: var(--changed-paper); stroke: var(--changed); }
    .line.added line, .line.added .head { stroke: var(--added); fill: var(--added); }
    .line.removed line, .line.removed .head { stroke: var(--removed); fill: var(--removed); stroke-dasharray: 4 3; }

    """
}
