import DataModel

extension PinnedModel {
  /// Entities whose hashes Apple's tools computed, declared in our own API.
  static let all: [PinnedModel] = tracks + attributesOnly + withRelationships + withInheritance

  static let tracks = [
    PinnedModel(
      "tracks, version 1",
      [
        EntityDescription(
          "Track",
          attributes: [
            optional("artistName", .string), optional("imageURL", .string), optional("json", .string),
            optional("lastPlayedAt", .date), optional("title", .string),
          ])
      ], ["Track": "2355e6fc2c92562ec62bf51650fbc9f767e55d3546f5112d6e821cd5ae759aff"]),
    PinnedModel(
      "tracks, version 2",
      [
        EntityDescription(
          "Artist",
          attributes: [optional("id", .string), optional("imageURL", .string), optional("name", .string)],
          relationships: [RelationshipDescription("tracks", to: "Track", inverse: "artists")]),
        EntityDescription(
          "Track",
          attributes: [optional("imageURL", .string), optional("lastPlayedAt", .date), optional("title", .string)],
          relationships: [RelationshipDescription("artists", to: "Artist", inverse: "tracks")]),
      ],
      [
        "Artist": "fa319d27a17a936441c2b2797fba9c6ddd78a2a7b67187244834925dc53b6b56",
        "Track": "75d00c27b3a38c842bdf257df3093c512e802bb124a176d8496b7ca835980428",
      ]),
  ]

  static let attributesOnly = [
    PinnedModel(
      "abstract entity", [EntityDescription("Writer", isAbstract: true, attributes: [required("age", .integer16)])],
      ["Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25"]),
    PinnedModel(
      "required and optional",
      [EntityDescription("User", attributes: [optional("petName", .string), required("name", .string)])],
      ["User": "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798"]),
    PinnedModel(
      "binary data", [EntityDescription("Info", attributes: [optional("lastHistoryToken", .binaryData)])],
      ["Info": "99716af95c27bab515545c336c2b5a761fd000f823cc07b616c0f21cf80c0ea0"]),
    PinnedModel(
      "small integer",
      [EntityDescription("Project", attributes: [optional("name", .string), optional("priority", .integer16)])],
      ["Project": "5e900b6c549d8c62b1f9cbbe689b7367bd5119c0a9cdd48d3b42e12d35858057"]),
    PinnedModel(
      "UUID and double",
      [
        EntityDescription(
          "Feedback",
          attributes: [
            required("authorAlias", .string), required("bookID", .uuid), required("rating", .double),
            optional("comment", .string),
          ])
      ], ["Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc"]),
    PinnedModel(
      "modifier before constraint",
      [
        EntityDescription(
          "Codec", versionHashModifier: "13102", uniquenessConstraints: [["fourCharCodeName"]],
          attributes: [required("fourCharCodeName", .string)])
      ], ["Codec": "63bb7d3bcc305552728d4e806dc8a1de4f384ff8017885b3faaeb50507d24f13"]),
    PinnedModel(
      "constraint of two",
      [
        EntityDescription(
          "KeyValue", uniquenessConstraints: [["domain", "key"]],
          attributes: [optional("domain", .string), required("key", .string), optional("value", .transformable)])
      ], ["KeyValue": "f5e07a3bbedf7eed1054342d5e889599d465a8415a63df0c3f9020fc88067f45"]),
    PinnedModel(
      "two constraints, not in order",
      [
        EntityDescription(
          "GraphLabel", uniquenessConstraints: [["code"], ["alias"]],
          attributes: [
            optional("alias", .string), optional("code", .integer32),
            optional("edgeExternalIdentifierDataHavingLabel", .binaryData),
            optional("nodeExternalIdentifierDataHavingLabel", .binaryData),
          ])
      ], ["GraphLabel": "201e820c6a7a72d7eed9cc9f2f911973e2b3187be0184b2f49b7ab9efd635190"]),
    PinnedModel(
      "decimal",
      [
        EntityDescription(
          "CartItemModifierModel", uniquenessConstraints: [["id"]],
          attributes: [
            required("id", .string), required("name", .string), required("priceDeltaAmount", .decimal),
            required("priceDeltaCurrencyCode", .string),
          ])
      ], ["CartItemModifierModel": "2d7d9cce19ca420473c1566899a477fbdc6890cfa04d6e9fec686b201402817a"]),
  ]
}
