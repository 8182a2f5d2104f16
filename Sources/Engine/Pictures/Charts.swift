internal import TerminalOutput

/// One value of a chart.
package struct ChartValue: Sendable {
  /// The subject of the value.
  package let label: String
  package let value: Int
  /// More about it, in the table and where a pointer rests.
  package let note: String?
  /// Whether it counts what went wrong.
  package let isFault: Bool

  package init(_ label: String, _ value: Int, note: String? = nil, isFault: Bool = false) {
    (self.label, self.value, self.note, self.isFault) = (label, value, note, isFault)
  }
}

/// A chart with a title, a drawing, and the same as a table for those who do not see it.
package struct Chart: Sendable {
  /// The kinds of charts.
  package enum Kind: Sendable {
    /// One bar below the other, for names.
    case bars
    /// One column beside the other, for ranges and times.
    case columns
  }

  private let kind: Kind
  private let title: String
  private let values: [ChartValue]
  /// The headings of the table's columns.
  private let heads: (label: String, value: String)

  package init(_ kind: Kind, _ title: String, _ values: [ChartValue], label: String, value: String) {
    (self.kind, self.title, self.values, heads) = (kind, title, values, (label, value))
  }

  /// The chart; without values, a sentence.
  package var html: HTML {
    guard !values.isEmpty else {
      return "<figure><figcaption>\(title)</figcaption><p class=\"none\">None.</p></figure>"
    }
    let drawing = kind == .bars ? bars : columns
    return """
      <figure class="chart"><figcaption>\(title)</figcaption>
      \(drawing)
      <details><summary>As a table</summary>\(table)</details></figure>
      """
  }

  private var table: HTML {
    let hasNotes = values.contains { $0.note != nil }
    return .table(
      [heads.label, heads.value] + (hasNotes ? ["Notes"] : []),
      values.map { value in
        [.name(value.label), .number(value.value)] + (hasNotes ? [.name(value.note ?? "")] : [])
      }, caption: title, isNumeric: [1])
  }

  private var greatest: Double { Double(max(values.map(\.value).max() ?? 0, 1)) }

  private func tip(_ value: ChartValue) -> HTML {
    "<title>\(value.label): \(NumberFormat.grouped(value.value))\(value.note.map { " (\($0))" } ?? "")</title>"
  }

  private var bars: HTML {
    let (width, rowHeight, labelWidth) = (500.0, 22.0, 174.0)
    let room = width - labelWidth - 50
    let height = Double(values.count) * rowHeight
    let rows = values.enumerated().map { place, value -> HTML in
      let y = Double(place) * rowHeight
      let length = max(1, Double(value.value) / greatest * room)
      return """
        <g class="row\(value.isFault && value.value > 0 ? " fault" : "")">\(tip(value))<text class="label" x="\(labelWidth - 8)" y="\(y + 16)">\(value.label.shortened(23))</text>
        <rect class="mark" x="\(labelWidth)" y="\(y + 4)" width="\(length)" height="\(rowHeight - 8)" rx="2"/>
        <text class="value" x="\(labelWidth + length + 6)" y="\(y + 16)" \
        \(Self.short(value.value))</text></g>

        """
    }
    return drawing(width, height, rows)
  }

  private var columns: HTML {
    let (width, height) = (480.0, 220.0)
    let step = width / Double(values.count)
    let room = height - 56
    // Labels that would run into each other are left out, at the same distances.
    let longest = Double(values.map(\.label.count).max() ?? 1) * 7 + 6
    let every = max(1, Int((longest / step).rounded(.up)))
    let columns = values.enumerated().map { place, value -> HTML in
      let x = Double(place) * step
      let length = value.value == 0 ? 0 : max(1, Double(value.value) / greatest * room)
      let middle = x + step / 2
      // The labels at both ends stay within the drawing.
      let half = Double(DisplayWidth.of(value.label)) * 3.5 + 1
      let labelPlace = min(max(middle, half), width - half)
      let label: HTML =
        place.isMultiple(of: every)
        ? "<text class=\"tick\" x=\"\(labelPlace)\" y=\"\(height - 12)\">\(value.label)</text>" : ""
      let figure: HTML =
        step >= 34
        ? "<text class=\"figure\" x=\"\(middle)\" y=\"\(height - 38 - length)\" \(Self.short(value.value))</text>" : ""
      return """
        <g class="row">\(tip(value))<rect class="hit" x="\(x)" y="0" width="\(step)" height="\(height)"/>
        <rect class="mark" x="\(x + step * 0.1)" y="\(height - 32 - length)" width="\(step * 0.8)" height="\(length)" rx="1"/>
        \(label)\(figure)</g>

        """
    }
    let base: HTML = "<line class=\"axis\" x1=\"0\" y1=\"\(height - 32)\" x2=\"\(width)\" y2=\"\(height - 32)\"/>"
    return drawing(width, height, columns + [base])
  }

  private func drawing(_ width: Double, _ height: Double, _ parts: [HTML]) -> HTML {
    """
    <svg viewBox="0 0 \(width) \(height)" role="img" aria-label="\(title): a chart of \(values.count) values, \
    which the table below has too">
    \(parts)</svg>
    """
  }

  /// The end of an element's attributes and its text: a number in at most five characters, such as 1.2 M, which the page
  /// writes as the reader's language does.
  private static func short(_ number: Int) -> HTML {
    // What rounds to 1000 thousands is a million.
    let (divisor, unit) = number < 10_000 ? (1.0, "") : number < 999_950 ? (1e3, " k") : (1e6, " M")
    let tenths = (Double(number) / divisor * 10).rounded() / 10
    let value = tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    let text = unit.isEmpty ? NumberFormat.grouped(number) : value + unit
    return "data-value=\"\(value)\" data-unit=\"\(unit)\">\(text)"
  }
}

/// Things and the strength of their connections, drawn so that connected things are near each other.
package struct NetworkChart: Sendable {
  package struct Node: Sendable {
    package let name: String
    /// The value that determines its size.
    package let weight: Int

    package init(_ name: String, weight: Int) { (self.name, self.weight) = (name, weight) }
  }

  package struct Edge: Sendable {
    package let from, to: Int
    package let weight: Int

    package init(_ from: Int, _ to: Int, weight: Int) { (self.from, self.to, self.weight) = (from, to, weight) }
  }

  private let title: String
  private let nodes: [Node]
  private let edges: [Edge]
  private let heads: (node: String, weight: String)

  package init(_ title: String, _ nodes: [Node], _ edges: [Edge], node: String, weight: String) {
    (self.title, self.nodes, self.edges, heads) = (title, nodes, edges, (node, weight))
  }

  package var html: HTML {
    guard !edges.isEmpty else { return "<figure><figcaption>\(title)</figcaption><p class=\"none\">None.</p></figure>" }
    let rows = edges.sorted { $0.weight > $1.weight }.map { edge -> [HTML] in
      [.name(nodes[edge.from].name), .name(nodes[edge.to].name), .number(edge.weight)]
    }
    return """
      <figure class="chart network scrolls" tabindex="0"><figcaption>\(title)</figcaption>
      \(drawing)
      <details><summary>As a table</summary>\(HTML.table([heads.node, "With", heads.weight], rows, caption: title, isNumeric: [2]))
      </details></figure>
      """
  }

  private var drawing: HTML {
    let sizes = nodes.map { node in
      Layout.Size(width: Double(DisplayWidth.of(node.name.shortened(22))) * 6.6 + 8, height: 40)
    }
    let layout = Layout(
      sizes, edges.map { ($0.from, $0.to) }, canvas: Layout.Size(width: 900, height: 620), gap: 6)
    let heaviest = Double(max(edges.map(\.weight).max() ?? 1, 1))
    let largest = Double(max(nodes.map(\.weight).max() ?? 1, 1))
    let lines = edges.map { edge -> HTML in
      let (start, end) = (layout.places[edge.from], layout.places[edge.to])
      let thickness = 0.8 + 3.2 * (Double(edge.weight) / heaviest).squareRoot()
      return """
        <line class="edge mark" x1="\(start.x)" y1="\(start.y)" x2="\(end.x)" y2="\(end.y)" stroke-width="\(thickness)">\
        <title>\(nodes[edge.from].name) – \(nodes[edge.to].name): \(edge.weight)</title></line>

        """
    }
    let circles = zip(nodes, layout.places).map { node, place -> HTML in
      let radius = 3 + 8 * (Double(node.weight) / largest).squareRoot()
      return """
        <g class="node"><title>\(node.name): \(node.weight)</title><circle class="mark" cx="\(place.x)" cy="\(place.y)" \
        r="\(radius)"/><text x="\(place.x)" y="\(place.y - radius - 4)">\(node.name.shortened(22))</text></g>

        """
    }
    return """
      <svg viewBox="0 0 \(layout.size.width) \(layout.size.height)" role="img" aria-label="\(title): \(nodes.count) nodes \
      and \(edges.count) lines, which the table below has too">
      \(lines)\(circles)</svg>
      """
  }
}

extension String {
  /// The text, or its beginning and an ellipsis, in so many columns.
  fileprivate func shortened(_ limit: Int) -> String {
    guard DisplayWidth.of(self) > limit else { return self }
    var (short, width) = ("", 0)
    for character in self {
      width += DisplayWidth.of(String(character))
      guard width < limit else { break }
      short.append(character)
    }
    return short + "…"
  }
}
