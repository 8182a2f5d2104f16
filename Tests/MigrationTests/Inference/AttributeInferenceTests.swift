import CoreDataExpressions
import DataModel
import Migration
import TestSupport
import Testing

struct AttributeInferenceTests {
  private func reasons(_ old: AttributeDescription?, _ new: AttributeDescription) -> [InferenceError.Kind] {
    Inference.reasons(
      [EntityDescription("E", attributes: [old].compactMap { $0 })], [EntityDescription("E", attributes: [new])]
    ).map(\.kind)
  }

  private func addition(_ attribute: AttributeDescription) throws -> [String] {
    try Inference.mappings([EntityDescription("E")], [EntityDescription("E", attributes: [attribute])])
  }

  @Test func `A new attribute that is optional or has a default needs no expression`() throws {
    let transform = ["IEM_Transform_E: E > E", "IEM_Transform_E.x = -"]
    #expect(try addition(AttributeDescription("x", .string)) == transform)
    #expect(
      try addition(AttributeDescription("x", .integer16, isOptional: false, defaultValue: .integer(0))) == transform)
  }

  @Test func `A new attribute with an unreadable default is reported, and refused if required`()
    throws
  {
    func new(isOptional: Bool) -> AttributeDescription {
      var attribute = AttributeDescription("x", .integer16, isOptional: isOptional)
      attribute.editorAttributes["defaultValueString"] = "many"
      return attribute
    }
    #expect(
      try Inference.infer(
        [EntityDescription("E")], [EntityDescription("E", attributes: [new(isOptional: true)])]
      ).findings.map(\.kind) == [.unreadableDefault("many")])
    #expect(reasons(nil, new(isOptional: false)) == [.attributeNeedsDefault])
  }

  @Test func `A new required attribute without a default is refused`() {
    #expect(reasons(nil, AttributeDescription("x", .string, isOptional: false)) == [.attributeNeedsDefault])
  }

  @Test func `A new entity may have required attributes`() throws {
    let new = EntityDescription("N", attributes: [AttributeDescription("x", .string, isOptional: false)])
    #expect(try Inference.mappings([], [new]) == ["IEM_Add_N: - > N", "IEM_Add_N.x = -"])
  }

  @Test func `A required attribute may become optional`() throws {
    let old = AttributeDescription("x", .string, isOptional: false)
    #expect(try Inference.value(old, AttributeDescription("x", .string)) == "$source.x")
  }

  @Test func `An attribute that becomes required uses its default for missing values`() throws {
    let old = AttributeDescription("old", .string)
    let new = AttributeDescription(
      "x", .string, isOptional: false, defaultValue: .string("it's"), renamingIdentifier: "old")
    #expect(try Inference.value(old, new) == #"TERNARY($source.old == nil, "it's", $source.old)"#)
  }

  @Test func `An attribute that becomes required without a default is checked by validation and reported`() throws {
    let old = AttributeDescription("x", .string)
    let new = AttributeDescription("x", .string, isOptional: false)
    #expect(try Inference.value(old, new) == "$source.x")
    #expect(
      try Inference.findings([EntityDescription("E", attributes: [old])], [EntityDescription("E", attributes: [new])])
        == ["'E.x': it was optional and is required now; instances without a value cannot be migrated"])
  }

  @Test func `An attribute that was already required keeps its values although it has a default`() throws {
    let old = AttributeDescription("x", .integer16, isOptional: false)
    let new = AttributeDescription("x", .integer32, isOptional: false, defaultValue: .integer(1))
    #expect(try Inference.value(old, new) == "$source.x")
  }

  private static let wider: [AttributeType: [AttributeType]] = [
    .integer16: [.integer32, .integer64, .double], .integer32: [.integer64, .double], .integer64: [.double],
    .float: [.double], .boolean: [.integer16, .integer32, .integer64],
  ]

  @Test(arguments: AttributeType.allCases)
  func `Numbers may widen and Booleans may become integers, but no other type may change`(old: AttributeType)
    throws
  {
    guard ![.undefined, .composite].contains(old) else { return }
    for new in AttributeType.allCases where ![.undefined, .composite].contains(new) {
      let isAllowed = old == new || Self.wider[old]?.contains(new) == true
      let found = reasons(AttributeDescription("x", old), AttributeDescription("x", new))
      #expect(found == (isAllowed ? [] : [.incompatibleTypes(source: old, destination: new)]), "\(old) to \(new)")
    }
  }

  private func place(_ name: String, _ elements: AttributeDescription..., id: String? = nil) -> AttributeDescription {
    AttributeDescription(name, .composite, renamingIdentifier: id, elements: elements)
  }

  @Test func `A composite attribute is inferred element by element`() throws {
    let x = AttributeDescription("x", .double)
    let old = place("pos", x, AttributeDescription("y", .integer16), AttributeDescription("gone", .string))
    let new = place("place", x, AttributeDescription("y", .integer32), AttributeDescription("z", .string), id: "pos")
    let inferred = try Inference.infer(
      [EntityDescription("E", attributes: [old])], [EntityDescription("E", attributes: [new])])
    #expect(
      Inference.lines(inferred.mappingModel) == [
        "IEM_Transform_E: E > E", "IEM_Transform_E.place.x = $source.pos.x", "IEM_Transform_E.place.y = $source.pos.y",
        "IEM_Transform_E.place.z = -",
      ])
    #expect(inferred.findings.map { "\($0.entity).\($0.property ?? "")" } == ["E.pos.gone"])
  }

  @Test func `Only a part of a key path that has an identifier of its own can match nothing`() throws {
    let x = AttributeDescription("x", .double)
    let old = place("pos", x)
    let new = place(
      "place", x, AttributeDescription("added", .string), place("inner", AttributeDescription("added", .string)),
      AttributeDescription("z", .double, renamingIdentifier: "misspelt"), id: "pos")
    let other = place("other", AttributeDescription("a", .string), AttributeDescription("b", .string), id: "nothing")
    let inferred = try Inference.infer(
      [EntityDescription("E", attributes: [old])], [EntityDescription("E", attributes: [new, other])])
    #expect(
      inferred.findings.map { "\($0.property ?? ""): \($0.kind.description.prefix { $0 != "," })" }.sorted() == [
        "other.a: the renaming identifier 'nothing.a' matches nothing in the source",
        "other.b: the renaming identifier 'nothing.b' matches nothing in the source",
        "place.z: the renaming identifier 'pos.misspelt' matches nothing in the source",
      ])
  }

  @Test func `An element of a composite that becomes another type is refused`() {
    #expect(
      reasons(place("p", AttributeDescription("x", .string)), place("p", AttributeDescription("x", .double)))
        == [.incompatibleTypes(source: .string, destination: .double)])
  }

  @Test func `Only widening that may lose digits is reported`() throws {
    func findings(_ old: AttributeType) throws -> [InferenceFinding.Kind] {
      try Inference.infer(
        [EntityDescription("E", attributes: [AttributeDescription("x", old)])],
        [EntityDescription("E", attributes: [AttributeDescription("x", .double)])]
      ).findings.map(\.kind)
    }
    #expect(try findings(.integer64) == [.precisionMayBeLost])
    #expect(try findings(.integer32).isEmpty)
  }

  @Test func `An attribute that becomes stored counts as new, and one that becomes transient is lost`() throws {
    let transient = AttributeDescription("x", .string, isOptional: false, isTransient: true)
    let stored = AttributeDescription("x", .string, isOptional: false)
    #expect(reasons(transient, stored) == [.attributeNeedsDefault])
    #expect(try Inference.value(transient, AttributeDescription("x", .string)) == "-")
    let removed = try Inference.infer(
      [EntityDescription("E", attributes: [stored])], [EntityDescription("E", attributes: [transient])])
    #expect(Inference.lines(removed.mappingModel) == ["IEM_Transform_E: E > E"])
    #expect(removed.findings.map(\.kind) == [.becomesTransient] && removed.findings[0].isLoss)
    let undefined = AttributeDescription("x", .undefined, isTransient: true)
    #expect(try Inference.value(undefined, AttributeDescription("x", .string)) == "-")
  }

  @Test func `A derived attribute keeps its derivation and otherwise needs no source`() throws {
    let derived = AttributeDescription("x", .integer64, isOptional: false, derivationExpression: "a")
    let other = AttributeDescription("x", .integer64, isOptional: false, derivationExpression: "b")
    let plain = AttributeDescription("x", .integer64, isOptional: false)
    #expect(try Inference.value(derived, derived) == "$source.x")
    #expect(try Inference.value(derived, other) == "-")
    #expect(try addition(derived) == ["IEM_Transform_E: E > E"])
    #expect(try Inference.value(derived, plain) == "$source.x")
    #expect(try Inference.value(plain, derived) == "-")
  }

  @Test func `A stored attribute that becomes derived loses its values, unless another one claims them`() throws {
    let plain = AttributeDescription("x", .string)
    let derived = AttributeDescription("x", .string, derivationExpression: "canonical:(a)")
    let heir = AttributeDescription("y", .string, renamingIdentifier: "x")
    func findings(_ old: [AttributeDescription], _ new: [AttributeDescription]) throws -> [InferenceFinding] {
      try Inference.infer([EntityDescription("E", attributes: old)], [EntityDescription("E", attributes: new)]).findings
    }
    let found = try findings([plain], [derived])
    #expect(found.map(\.kind) == [.becomesDerived] && found[0].isLoss)
    #expect(try findings([plain], [derived, heir]).isEmpty)
    #expect(try findings([derived], [derived]).isEmpty)
  }

  @Test func `Flags and defaults may change freely`() throws {
    let old = AttributeDescription("x", .binaryData, defaultValue: .data([1]))
    let new = AttributeDescription(
      "x", .binaryData, defaultValue: .data([2]), allowsExternalBinaryDataStorage: true,
      preservesValueInHistoryOnDeletion: true, versionHashModifier: "2")
    #expect(
      try Inference.mappings([EntityDescription("E", attributes: [old])], [EntityDescription("E", attributes: [new])])
        == ["IEM_Transform_E: E > E", "IEM_Transform_E.x = $source.x"])
    #expect(try Inference.value(new, old) == "$source.x")
  }
}
