/// The name of a file beside the store that holds the data of an attribute.
struct ExternalReference: Hashable {
  /// The name of the file: an uppercase UUID.
  let name: String

  /// Reads what a column holds: a byte of 2, the name, and a byte of 0.
  ///
  /// Only a UUID is a name, so that no reference leads out of the folder.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 38, bytes.first == 2, bytes.last == 0 else { return nil }
    let name = bytes.dropFirst().dropLast()
    let isName = zip(0..., name).allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-")
        : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard isName else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// What the column holds.
  var bytes: [UInt8] { [2] + name.utf8 + [0] }
}
