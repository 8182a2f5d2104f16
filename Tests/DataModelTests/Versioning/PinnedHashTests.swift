import DataModel
import Testing

@Suite struct PinnedHashTests {
  @Test(arguments: PinnedModel.all)
  func `Hashes equal Apple's`(pinned: PinnedModel) throws {
    let model = try ManagedObjectModel(entities: pinned.entities)
    for (name, hash) in pinned.hashes {
      #expect(model.entity(named: name)?.versionHash.description == hash, "\(name)")
    }
  }

  @Test(arguments: PinnedModel.all)
  func `Hashes equal Apple's after a round trip through XML`(pinned: PinnedModel) throws {
    let model = try ManagedObjectModel(entities: pinned.entities)
    let again = try ManagedObjectModel(xml: Array(model.xml().utf8))
    #expect(again.entities == model.entities)
    for (name, hash) in pinned.hashes {
      #expect(again.entity(named: name)?.versionHash.description == hash, "\(name)")
    }
  }

  @Test func `At least thirty hashes are pinned`() {
    #expect(PinnedModel.all.flatMap(\.hashes).count >= 30)
  }
}
