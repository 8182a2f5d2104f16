internal import SQLite

extension String {
  /// This name as it stands in the schema: as Core Data writes it, without quotes, wherever SQLite reads it as one word.
  ///
  /// Names come from strangers' models. One that is no word is quoted, so that it is never read as more than a name.
  var schemaIdentifier: String {
    let isWord = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
        true
      default: false
      }
    }
    return isWord ? self : quotedIdentifier
  }
}
