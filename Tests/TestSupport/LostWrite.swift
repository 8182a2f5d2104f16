/// Makes stores as a disk leaves them that has lost one write.
public enum LostWrite {
  /// Runs statements that add rows to a table, and puts its root page back as it was.
  ///
  /// No page is broken then, but the table does not lead to the new ones.
  public static func make(in path: String, ofRootOf table: String, during statements: String) throws {
    let value = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: path)
    let root = (value.flatMap { Int($0) } ?? 1) - 1
    let old = try Files.bytes(path)
    let size = Int(old[16]) << 8 | Int(old[17])
    try Database.run(statements, in: path)
    var new = try Files.bytes(path)
    let page = root * size..<(root + 1) * size
    new.replaceSubrange(page, with: old[page])
    try Files.write(new, to: path)
  }
}
