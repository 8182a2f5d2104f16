/// An XML element with its attributes and child elements.
///
/// Text between elements means nothing in a model.
struct MarkupElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [MarkupElement] = []

  /// The children of this name.
  func children(named name: String) -> [MarkupElement] {
    children.filter { $0.name == name }
  }
}
