/// Says how wide the columns of a table are, and how wide the cells of a row may be.
struct TableLayout {
  /// What stands between two columns.
  static let gap = 2

  /// The widths of the columns, which most rows have.
  let widths: [Int]
  /// How wide a row may be, or nil if it does not matter.
  private let limit: Int?

  /// Measures rows.
  ///
  /// - Parameters:
  ///   - header: The header, which is cut before numbers are.
  ///   - rows: As many rows as are at hand.
  ///   - limit: The width of the terminal; nil keeps every cell whole.
  init(header: [TableCell], rows: [[TableCell]], limit: Int?) {
    var wanted = header.map(\.width)
    var least = header.map { min($0.width, 4) }
    for row in rows {
      for (column, cell) in row.enumerated() {
        wanted[column] = max(wanted[column], cell.width)
        least[column] = max(least[column], cell.leastWidth)
      }
    }
    self.limit = limit
    widths = Self.fit(wanted, least: least, limit: limit)
  }

  /// The widths to which the cells of a row are cut.
  ///
  /// Rows that were measured get the widths of the columns. A later row may have wider cells: they are left whole, out of
  /// line, as long as the row fits.
  func widths(for row: [TableCell]) -> [Int] {
    guard zip(row, widths).contains(where: { $0.width > $1 }) else { return widths }
    let wanted = zip(row, widths).map { max($0.width, $1) }
    let least = zip(row, widths).map { cell, width in cell.isNumber ? max(cell.width, width) : width }
    return Self.fit(wanted, least: least, limit: limit)
  }

  /// Narrows the widest columns until all of them fit, or until each has the least width that it needs.
  private static func fit(_ wanted: [Int], least: [Int], limit: Int?) -> [Int] {
    guard let limit else { return wanted }
    let room = limit - gap * (wanted.count - 1)
    guard total(wanted) > room else { return wanted }
    func capped(at cap: Int) -> [Int] { zip(wanted, least).map { max($1, min($0, cap)) } }

    // The greatest cap that fits, by bisection: one cell can be as long as a hostile file wants it.
    var (fitting, tooWide) = (0, wanted.max() ?? 0)
    while tooWide - fitting > 1 {
      let middle = fitting + (tooWide - fitting) / 2
      if total(capped(at: middle)) <= room { fitting = middle } else { tooWide = middle }
    }
    // What is left over is less than one for each of the capped columns; the first ones get it.
    var widths = capped(at: fitting)
    var spare = room - total(widths)
    for column in widths.indices where spare > 0 && widths[column] == fitting && wanted[column] > fitting {
      widths[column] += 1
      spare -= 1
    }
    return widths
  }

  private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) }
}
