import TestSupport

/// A small track library whose file tests then alter.
struct ThirtyTracks {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    path = folder.file("Store.sqlite")
    try TrackLibraryBuilder((1...30).map { TrackRow($0, json: "{\"artists\":[{\"name\":\"\($0 % 3)\"}]}") })
      .write(to: path)
  }
}
