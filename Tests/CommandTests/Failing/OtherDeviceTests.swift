import Foundation
import TestSupport
import Testing

@Suite("Folders on two devices and files of other owners")
struct OtherDeviceTests {
  private let memory: TemporaryFolder
  private let disk: TemporaryFolder
  private let store: PictureStore

  init() throws {
    memory = try TemporaryFolder(isInMemory: true)
    disk = try TemporaryFolder()
    store = try PictureStore()
  }

  @Test func `An output gets copies of the external data files`() throws {
    let path = try store.copy(to: memory)
    let output = disk.file("New.sqlite")
    try successfully(path, "--model", store.model, "--output", output)
    #expect(try PictureStore.isMigrated(output))
    #expect(
      try PictureStore.rows(output, support: ".New_SUPPORT") == PictureStore.rows(path, support: ".App_SUPPORT"))
    #expect(try disk.listing() == [".New_SUPPORT", "New.sqlite"])
  }

  @Test func `A link to a store on another device stays, and the store is replaced in place`() throws {
    let path = try store.copy(to: memory)
    let link = disk.file("Link.sqlite")
    try Files.link(link, to: path)
    try successfully(link, "--model", store.model)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try PictureStore.isMigrated(path))
    #expect(try disk.listing() == ["Link.sqlite"])
  }

  @Test func `A store and the files beside it keep its owner and group`() throws {
    guard geteuid() == 0 else { return }
    let library = try disk.library("Library.sqlite", LibraryBuilder())
    chown(library, 4321, 1234)
    chmod(library, 0o640)
    try successfully(library)
    for name in ["Library.sqlite", "Library.sqlite.v1-backup", "Library.sqlite.rejects.ndjson"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: disk.file(name))
      #expect(attributes[.ownerAccountID] as? Int == 4321, "\(name)")
      #expect(attributes[.groupOwnerAccountID] as? Int == 1234, "\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o640, "\(name)")
    }
  }
}
