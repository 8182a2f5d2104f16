/// One note of version 1 or 2.
struct NoteRow {
  var title: String
  var body: String?
  /// Seconds since 2001.
  var dateCreated: Double = 600_000_000
  var displayIndex: Int64 = 0
  /// The picture, from version 2 on.
  var image: [UInt8]?

  init(_ title: String, _ body: String? = "A short body.", image: [UInt8]? = nil) {
    self.title = title
    self.body = body
    self.image = image
  }
}
