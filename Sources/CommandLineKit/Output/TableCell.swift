/// One value of a table, ready to print.
struct TableCell {
  /// The text, with nothing in it that a terminal would obey.
  let text: String
  let width: Int
  /// Numbers are aligned to the right, and never cut: a part of a number is a wrong number.
  let isNumber: Bool

  init(_ value: FieldValue) {
    text = VisibleText.of(value.plainText ?? "")
    width = DisplayWidth.of(text)
    isNumber = value.isNumber && !text.isEmpty
  }

  /// A cell of the header.
  init(header column: String, isNumber: Bool) {
    text = VisibleText.of(column.uppercased())
    width = DisplayWidth.of(text)
    self.isNumber = isNumber
  }

  /// The width that is left of the cell when the row has to be cut.
  var leastWidth: Int { isNumber ? width : min(width, 4) }
}
