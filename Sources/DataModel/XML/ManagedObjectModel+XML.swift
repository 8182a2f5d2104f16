extension ManagedObjectModel {
  /// The model as the file `contents` of an `.xcdatamodel`, in the layout of Xcode.
  ///
  /// Reading the text back gives the same model; its version hashes always are the same.
  ///
  /// - Throws: `ModelFileProblem.unwritableText` where a text holds a control character that XML cannot hold.
  public func xml() throws(ModelFileProblem) -> String {
    let text = ModelXMLWriter.text(of: self)
    if let character = MarkupText.forbiddenCharacter(in: text) { throw .unwritableText(character) }
    return text
  }
}
