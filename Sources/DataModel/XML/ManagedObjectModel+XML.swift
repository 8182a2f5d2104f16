extension ManagedObjectModel {
  /// The model as the file `contents` of an `.xcdatamodel`, in the layout of Xcode.
  ///
  /// Reading the text back gives the same model; its version hashes always are the same.
  ///
  /// - Throws: `ModelFileProblem.unwritableText` where a text holds a control character that XML cannot hold.
  public func xml() throws(ModelFileProblem) -> String {
    let text = ModelXMLWriter.text(of: self)
    for scalar in text.unicodeScalars where !Self.isAllowedInXML(scalar) {
      throw .unwritableText("U+" + String(scalar.value, radix: 16, uppercase: true))
    }
    return text
  }

  private static func isAllowedInXML(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: true
    default: false
    }
  }
}
