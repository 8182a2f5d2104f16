/// One book of version 1.
struct BookRow {
  var title: String?
  var authorName: String?
  /// An archive, as a transformable attribute keeps it.
  var fileURL: [UInt8]?
  /// The primary key of the user.
  var user: Int64?

  init(_ title: String?, by authorName: String? = "Ada Vale", file: String? = nil, user: Int64? = 1) {
    self.title = title
    self.authorName = authorName
    fileURL = ArchivedText.bytes(file ?? "\(title ?? "Untitled").epub")
    self.user = user
  }
}
