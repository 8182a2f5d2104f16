import DataModel
import Testing

/// Archives as another implementation reads them.
@Suite struct ArchiveForeignToolTests {
  /// Reads an archive as plistlib does, and counts its objects and those that can be reached from its root.
  private static let script = """
    import plistlib, sys
    archive = plistlib.load(sys.stdin.buffer)
    objects = archive["$objects"]
    reached, waiting = set(), [archive["$top"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, plistlib.UID):
            if value.data in reached: continue
            reached.add(value.data)
            waiting.append(objects[value.data])
        elif isinstance(value, dict): waiting += value.values()
        elif isinstance(value, list): waiting += value
    root = objects[archive["$top"]["root"].data]
    print(archive["$archiver"], archive["$version"], objects[root["$class"].data]["$classname"], len(objects) - len(reached))
    """

  @Test(.enabled(if: PythonProgram.path != nil, "needs python3"))
  func `Python reads an archive and reaches every object in it`() throws {
    let model = try ArchivableModel.model()
    for bytes in [try model.archive(), try PackedModel.unpacked(model.modelCache())] {
      #expect(try PythonProgram.run(Self.script, input: bytes) == "NSKeyedArchiver 100000 NSManagedObjectModel 0\n")
    }
  }
}
