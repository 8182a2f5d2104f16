import DataModel

extension PinnedModel {
  static let withRelationships = [
    PinnedModel(
      "to-many",
      [
        EntityDescription(
          "Action", attributes: [optional("name", .string)],
          relationships: [RelationshipDescription("role", to: "Role", inverse: "actions")]),
        stub("Role", RelationshipDescription("actions", to: "Action", inverse: "role")),
      ], ["Action": "3bb05c7409842f29b737a5582725a0c15046d4966b22b55e06db0f4666e49018"]),
    PinnedModel(
      "many-to-many",
      [
        EntityDescription(
          "Author", attributes: [optional("firstName", .string), optional("lastName", .string)],
          relationships: [RelationshipDescription("books", to: "Book", inverse: "authors")]),
        EntityDescription(
          "Book", attributes: [optional("title", .string)],
          relationships: [RelationshipDescription("authors", to: "Author", inverse: "books")]),
      ],
      [
        "Author": "cbc1f5c274ebf414474c4e350f73b14b1dd356c22782ae7488810d597188c46d",
        "Book": "292c923e48c2cbeea5a113bb7685fbc63ab800c0bbc242ad17a0f2e2a1e08f5c",
      ]),
    PinnedModel(
      "to-one with a least count",
      [
        EntityDescription(
          "Book",
          attributes: [
            optional("authorName", .string), optional("fileURL", .transformable), optional("title", .string),
          ],
          relationships: [RelationshipDescription("user", to: "User", inverse: "books", minCount: 1, maxCount: 1)]),
        EntityDescription(
          "User", attributes: [optional("userId", .integer32)],
          relationships: [RelationshipDescription("books", to: "Book", inverse: "user")]),
      ],
      [
        "Book": "4008f8b64ae3c0741519d88ad3011ea82e02de942bbc88510b03db099224edf5",
        "User": "fa27e5eecb39eedc8d201c781a9a8b93bfe60d98bbd02957d4227cdef0881e6a",
      ]),
    PinnedModel(
      "value kept in history",
      [
        EntityDescription(
          "FileSystemVolume",
          attributes: [
            required("name", .string), optional("volumeUuidString", .string),
            AttributeDescription("uuid", .string, isOptional: false, preservesValueInHistoryOnDeletion: true),
          ],
          relationships: [RelationshipDescription("resources", to: "InternalResource", inverse: "fileSystemVolume")]),
        stub(
          "InternalResource",
          RelationshipDescription("fileSystemVolume", to: "FileSystemVolume", inverse: "resources", maxCount: 1)),
      ], ["FileSystemVolume": "9b83a38999cb6c9f249246e4846382906d79b3ce747b4aca8cb6925a541cd409"]),
    PinnedModel(
      "required to-many",
      [
        EntityDescription(
          "AccessOptionsKey", attributes: [required("name", .string)],
          relationships: [
            RelationshipDescription(
              "owningAccountTypes", to: "AccountType", inverse: "accessKeys", minCount: 1, isOptional: false)
          ]),
        stub(
          "AccountType", RelationshipDescription("accessKeys", to: "AccessOptionsKey", inverse: "owningAccountTypes")),
      ], ["AccessOptionsKey": "97183309876f89fc67b37d1a6a845b03789ea0303f739aaf729b318edc81167f"]),
    PinnedModel(
      "derived attribute and a greatest count",
      [
        EntityDescription(
          "Book", uniquenessConstraints: [["uniqueID"]],
          attributes: [
            required("cover", .transformable), required("price", .decimal), required("publishedAt", .date),
            required("title", .string), required("uniqueID", .uuid),
            AttributeDescription("pagesCount", .integer64, derivationExpression: "count:(pages)"),
          ],
          relationships: [
            RelationshipDescription("author", to: "Author", minCount: 1, maxCount: 1, isOptional: false)
              .inverse("books"),
            RelationshipDescription("pages", to: "Page", minCount: 1, maxCount: 10000, isOptional: false)
              .inverse("book"),
          ]),
        stub("Author", RelationshipDescription("books", to: "Book", inverse: "author", maxCount: -1)),
        stub("Page", RelationshipDescription("book", to: "Book", inverse: "pages", maxCount: 1)),
      ], ["Book": "01e4ee17f1b2903db05607419b4a713d72df80c90b4510b83a60b9135323f5e7"]),
    PinnedModel(
      "references to itself, ordered, with modifiers",
      [
        EntityDescription(
          "BookmarkEntity",
          attributes: [
            required("isFolder", .boolean), optional("modifiedAt", .date), optional("title", .string),
            AttributeDescription("isPendingDeletion", .boolean, versionHashModifier: "3"),
            AttributeDescription("url", .string, versionHashModifier: "3"),
            AttributeDescription("uuid", .string, isOptional: false, versionHashModifier: "3"),
          ],
          relationships: [
            RelationshipDescription("children", to: "BookmarkEntity", inverse: "parent", isOrdered: true),
            RelationshipDescription("parent", to: "BookmarkEntity", inverse: "children", maxCount: 1),
            RelationshipDescription("favoriteFolders", to: "BookmarkEntity", inverse: "favorites"),
            RelationshipDescription("favorites", to: "BookmarkEntity", inverse: "favoriteFolders", isOrdered: true),
          ])
      ], ["BookmarkEntity": "6a086c9544c0adc6674e37b1a2cd4bc7edcd94de224c61fc603864844cb5f8f6"]),
  ]
}

extension RelationshipDescription {
  /// The same relationship with an inverse.
  fileprivate func inverse(_ name: String) -> RelationshipDescription {
    var copy = self
    copy.inverseName = name
    return copy
  }
}
