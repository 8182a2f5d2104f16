import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// The mapping models of the book library, found in files.
@Suite("Mapping models in folders")
final class MappingSearchTests {
  private static let books = Checkout.root.appending(path: "SampleData/Books").path(percentEncoded: false)
  private static let names = (
    authors: "Books_v1_to_v2.xcmappingmodel", users: "Books_v2_to_v3_1_Users.xcmappingmodel",
    files: "Books_v2_to_v3_2_Books.xcmappingmodel"
  )

  private let folder: TemporaryFolder
  private var search: MappingSearch

  init() throws {
    folder = try TemporaryFolder()
    search = MappingSearch(
      versions: try LoadedModelVersion.all(in: ModelBundle(path: Self.books + "/Books.xcdatamodeld")))
  }

  private func copy(_ name: String, as other: String) throws -> String {
    try Files.copy("\(Self.books)/\(name)", to: folder.file(other))
    return folder.file(other)
  }

  @Test func `Mapping models next to the model are found`() throws {
    try search.addMappings(besideModelAt: Self.books + "/Books.xcdatamodeld/")
    #expect(search.mappings.map(\.name) == [Self.names.users, Self.names.authors, Self.names.files])
    #expect(search.mappings.map(\.sourceVersionName) == ["Books 2", "Books", "Books 2"])
    #expect(search.mappings.map(\.destinationVersionName) == ["Books 3", "Books 2", "Books 3"])
  }

  @Test func `Mapping models without policies come first in a folder`() throws {
    _ = try copy(Self.names.files, as: "A.xcmappingmodel")
    _ = try copy(Self.names.users, as: "B.xcmappingmodel")
    try search.add(path: folder.path)
    #expect(search.mappings.map(\.name) == ["B.xcmappingmodel", "A.xcmappingmodel"])
  }

  @Test func `Mapping models that are named keep their order`() throws {
    try search.add(path: copy(Self.names.files, as: "B.xcmappingmodel"))
    try search.add(path: copy(Self.names.users, as: "A.xcmappingmodel") + "/")
    try search.add(path: folder.file("B.xcmappingmodel/xcmapping.xml"))
    #expect(search.mappings.map(\.name) == ["B.xcmappingmodel", "A.xcmappingmodel", "B.xcmappingmodel"])
    #expect(search.mappings.map(\.path).first == folder.file("B.xcmappingmodel"))
  }

  @Test func `A mapping model whose versions alone are unknown is said to be that`() throws {
    let path = try copy(Self.names.authors, as: "Old.xcmappingmodel")
    let file = path + "/xcmapping.xml"
    try Files.write(try Files.text(file).replacing("Books 2.xcdatamodel", with: "Second.xcdatamodel"), to: file)
    let error = #expect(throws: MigrationError.self) { try search.add(path: path) }
    #expect(
      error?.detail
        == "it leads from 'Books' to 'Second', but the versions are 'Books', 'Books 2', 'Books 3', without 'Second'")
  }

  @Test func `Foreign mapping models are skipped next to a model and refused in a named folder`() throws {
    let notes = Checkout.root.appending(path: "SampleData/Notes/Notes_v2_to_v3.xcmappingmodel")
    try Files.copy(notes.path(percentEncoded: false), to: folder.file("Notes.xcmappingmodel"))
    try search.addMappings(besideModelAt: folder.file("Books.xcdatamodeld"))
    #expect(search.mappings.isEmpty)
    for path in [folder.path, folder.file("Notes.xcmappingmodel")] {
      let error = #expect(throws: MigrationError.self) { try search.add(path: path) }
      #expect(error?.code == .invalidMappingModel)
      #expect(error?.subject.path == folder.file("Notes.xcmappingmodel"))
      #expect(
        error?.detail == "it leads from 'Notes 2' to 'Notes 3' with entities that are not among the versions "
          + "'Books', 'Books 2', 'Books 3'")
    }
  }

  @Test func `A folder without mapping models is reported`() throws {
    let error = #expect(throws: MigrationError.self) { try search.add(path: folder.path) }
    #expect(error?.code == .noMappingModels)
    #expect(error?.subject.path == folder.path)
    try search.addMappings(besideModelAt: folder.file("Books.xcdatamodeld"))
    #expect(search.mappings.isEmpty)
  }

  @Test(arguments: ["none.xcmappingmodel", "none"]) func `A missing file is reported`(name: String) {
    let error = #expect(throws: MigrationError.self) { try search.add(path: folder.file(name)) }
    #expect(error?.code == .missing)
    #expect(error?.subject.path == folder.file(name))
  }

  @Test func `A broken mapping model is reported even next to the model`() throws {
    try Files.write("<database>", to: folder.makeFolder("Broken.xcmappingmodel") + "/xcmapping.xml")
    for isNamed in [true, false] {
      let error = #expect(throws: MigrationError.self) {
        if isNamed {
          try search.add(path: folder.file("Broken.xcmappingmodel"))
        } else {
          try search.addMappings(besideModelAt: folder.file("Books.xcdatamodeld"))
        }
      }
      #expect(error?.code == .unusableMappingModel)
      #expect(error?.subject.path?.hasPrefix(folder.file("Broken.xcmappingmodel")) == true)
    }
  }

  /// Makes a project with the model in one folder and the mapping models in others; returns the model's path.
  private func project(_ places: [(file: String, place: String)], isMarked: Bool = true) throws -> String {
    if isMarked { try Files.write("", to: folder.file("Package.swift")) }
    try Files.copy(Self.books + "/Books.xcdatamodeld", to: folder.makeFolder("App/Data/Model") + "/Books.xcdatamodeld")
    for (file, place) in places {
      try Files.copy("\(Self.books)/\(file)", to: folder.makeFolder(place) + "/\(file)")
    }
    return folder.file("App/Data/Model/Books.xcdatamodeld")
  }

  @Test func `Mapping models anywhere in the project are found, each with its path`() throws {
    let model = try project([
      (Self.names.authors, "Maps/Deep/Er"), (Self.names.users, "App/Data/Maps"), (Self.names.files, "App/Data/Maps"),
    ])
    try search.addMappings(besideModelAt: model)
    #expect(
      search.mappings.map(\.name) == [
        folder.file("App/Data/Maps/\(Self.names.users)"), folder.file("App/Data/Maps/\(Self.names.files)"),
        folder.file("Maps/Deep/Er/\(Self.names.authors)"),
      ])
    #expect(search.displaced.isEmpty && search.remarks.isEmpty)
  }

  @Test func `Without a project, the folder above the model's own is searched`() throws {
    let model = try project([(Self.names.authors, "App/Data/Maps"), (Self.names.users, "App/Other")], isMarked: false)
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.map(\.path) == [folder.file("App/Data/Maps/\(Self.names.authors)")])
  }

  @Test func `Without a project, a folder with a model of its own belongs to another app`() throws {
    let model = try project(
      [(Self.names.authors, "App/Data/Other/Maps"), (Self.names.users, "App/Data/Maps")], isMarked: false)
    try Files.copy(Self.books + "/Books.xcdatamodeld", to: folder.file("App/Data/Other/Copy.xcdatamodeld"))
    try search.addMappings(besideModelAt: model)
    let used = folder.file("App/Data/Maps/\(Self.names.users)")
    #expect(search.mappings.map(\.path) == [used])
    #expect(
      search.remarks == ["The mapping model '\(used)' is used, though nothing marks it and '\(model)' as one project."])
  }

  @Test func `The nearest of several mapping models for the same versions is used, and the others are known`() throws {
    let model = try project([(Self.names.authors, "App/Data/Model"), (Self.names.authors, "Old/Copy")])
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.map(\.name) == [Self.names.authors])
    #expect(search.displaced.map(\.path) == [folder.file("Old/Copy/\(Self.names.authors)")])
  }

  @Test func `Of two mapping models that are the same, one is used, and the other is named`() throws {
    let model = try project([(Self.names.authors, "Maps/A"), (Self.names.authors, "Maps/B")])
    let files = ["A", "B"].map { folder.file("Maps/\($0)/\(Self.names.authors)") }
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.map(\.path) == [files[0]])
    #expect(search.remarks == ["The mapping model '\(files[1])' is not used: '\(files[0])' is the same, and is used."])
  }

  @Test func `Two mapping models that differ are both kept, for the plan to refuse`() throws {
    let model = try project([(Self.names.authors, "Maps/A"), (Self.names.authors, "Maps/B")])
    let file = folder.file("Maps/B/\(Self.names.authors)/xcmapping.xml")
    let text = try Files.text(file)
    let changed = text.replacing("BookToBookMigrationPolicy", with: "OtherPolicy")
    try #require(changed != text)
    try Files.write(changed, to: file)
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.count == 2 && search.remarks.isEmpty)
  }

  @Test(arguments: [".build/x", "DerivedData", "Pods", "node_modules", ".git/x"])
  func `Folders of builds and of others' code are not searched`(place: String) throws {
    let model = try project([(Self.names.authors, place)])
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.isEmpty)
  }

  @Test func `A folder for everybody's temporary files is not searched`() throws {
    let model = try project([(Self.names.authors, "App/Data/Maps")], isMarked: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.file("App/Data"))
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.isEmpty)
  }

  @Test func `A mapping model of another model in the project is not taken for its version names`() throws {
    let model = try project([(Self.names.authors, "Maps")])
    let file = folder.file("Maps/\(Self.names.authors)/xcmapping.xml")
    try Files.write(try Files.text(file).replacing("Books.xcdatamodeld", with: "Other.xcdatamodeld"), to: file)
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.isEmpty && search.remarks.isEmpty)
  }

  @Test func `A mapping model elsewhere that cannot be used is named, and does not end the search`() throws {
    let model = try project([(Self.names.authors, "Maps"), (Self.names.users, "Maps")])
    let file = folder.file("Maps/\(Self.names.authors)/xcmapping.xml")
    try Files.write(try Files.text(file).replacing("Books 2.xcdatamodel", with: "Books_two.xcdatamodel"), to: file)
    try Files.write("<database>", to: folder.makeFolder("Maps/Broken.xcmappingmodel") + "/xcmapping.xml")
    try search.addMappings(besideModelAt: model)
    #expect(search.mappings.map(\.path) == [folder.file("Maps/\(Self.names.users)")])
    #expect(search.remarks.count == 2)
    #expect(search.remarks[0].contains("names the version 'Books_two'"), "\(search.remarks)")
    #expect(search.remarks[1].contains("Broken.xcmappingmodel' is not used"), "\(search.remarks)")
  }

  @Test func `A named folder is searched with the folders below it`() throws {
    _ = try project([(Self.names.authors, "Maps/A"), (Self.names.users, "Maps/B/C")])
    try search.add(path: folder.file("Maps"))
    #expect(Set(search.mappings.map(\.name)) == [Self.names.authors, Self.names.users])
  }

  @Test(arguments: ["Books", "Other"])
  func `Mapping models around a link to a model and around its target are found, the nearest first`(name: String) throws
  {
    let model = try project([
      (Self.names.authors, "Maps"), (Self.names.users, "Maps"), (Self.names.files, "Maps"),
    ])
    let linked = try folder.makeFolder("Linked/Model")
    try Files.write("", to: folder.file("Linked/Package.swift"))
    try Files.link("\(linked)/\(name).xcdatamodeld", to: model)
    try Files.copy("\(Self.books)/\(Self.names.authors)", to: "\(linked)/\(Self.names.authors)")
    try search.addMappings(besideModelAt: "\(linked)/\(name).xcdatamodeld/")
    #expect(
      search.mappings.map(\.path) == [
        folder.file("Maps/\(Self.names.users)"), "\(linked)/\(Self.names.authors)",
        folder.file("Maps/\(Self.names.files)"),
      ])
    #expect(search.displaced.map(\.path) == [folder.file("Maps/\(Self.names.authors)")])
    #expect(search.remarks.isEmpty)
  }

  @Test func `A model in a linked folder has the mapping models around that folder's target`() throws {
    _ = try project([(Self.names.authors, "App/Maps"), (Self.names.users, "App/Data/Model")])
    try Files.link(folder.makeFolder("Other/Deep") + "/Model", to: folder.file("App/Data/Model"))
    try search.addMappings(besideModelAt: folder.file("Other/Deep/Model/Books.xcdatamodeld"))
    #expect(
      Set(search.mappings.map(\.path)) == [
        folder.file("App/Maps/\(Self.names.authors)"), folder.file("Other/Deep/Model/\(Self.names.users)"),
      ])
  }

  @Test func `The folder of a link's target has to be listable, as that of the link`() throws {
    let model = try project([(Self.names.authors, "App/Data/Model")])
    let link = try folder.makeFolder("Linked") + "/Books.xcdatamodeld"
    try Files.link(link, to: model)
    folder.setPermissions(0o755)
    try Files.setPermissions(0o111, of: folder.file("App/Data/Model"))
    let error = #expect(throws: MigrationError.self) {
      try Privileges.asNobody { try search.addMappings(besideModelAt: link) }
    }
    try Files.setPermissions(0o755, of: folder.file("App/Data/Model"))
    #expect(error?.code == .unreadable && error?.subject.path == folder.file("App/Data/Model"))
  }
}
