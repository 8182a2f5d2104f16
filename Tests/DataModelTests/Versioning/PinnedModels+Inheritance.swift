import DataModel

extension PinnedModel {
  static let withInheritance = [
    PinnedModel(
      "parent and grandparent",
      [
        EntityDescription(
          "Car", uniquenessConstraints: [["numberPlate"]],
          attributes: [
            optional("maker", .string), optional("markedForDeletionAsOf", .date), optional("model", .string),
            required("numberPlate", .string),
          ],
          relationships: [RelationshipDescription("owner", to: "Person", inverse: "cars", maxCount: 1)]),
        EntityDescription(
          "LuxuryCar", superentityName: "SportCar", renamingIdentifier: "ExpensiveSportCar",
          attributes: [optional("isLimitedEdition", .boolean)]),
        EntityDescription(
          "Person", uniquenessConstraints: [["firstName", "lastName"]],
          attributes: [optional("firstName", .string), optional("lastName", .string), required("updatedAt", .date)],
          relationships: [RelationshipDescription("cars", to: "Car", inverse: "owner")]),
        EntityDescription("SportCar", superentityName: "Car"),
      ],
      [
        "Car": "7e503efbf4b63cd93ff729e9675e21c63c65262d85a9889f59a2440af6481b93",
        "LuxuryCar": "a873c5590010e4ea3f7bdf846786dfbf5cb095526b86aa0de2c569c4bb121886",
        "Person": "067ae62e1bd1014cb6559d990803ae58f354dd1b7ba7b7722a361c0c39f2134e",
        "SportCar": "722a55b5bbcd51d74876a4dd8f8f7bbde57ddc61cb65a577ec5b0fbe978d7b8c",
      ]),
    PinnedModel(
      "parent and grandparent, with several relationships",
      [
        EntityDescription(
          "Car", uniquenessConstraints: [["numberPlate"]],
          attributes: [
            optional("markedForDeletionAsOf", .date), optional("model", .string), required("numberPlate", .string),
          ],
          relationships: [
            RelationshipDescription("createdBy", to: "Maker", inverse: "cars", maxCount: 1),
            RelationshipDescription("owner", to: "Person", inverse: "cars", maxCount: 1),
            RelationshipDescription("previousOwners", to: "Person", inverse: "previousCars"),
          ]),
        EntityDescription(
          "LuxuryCar", superentityName: "SportCar", attributes: [optional("isLimitedEdition", .boolean)]),
        EntityDescription(
          "Maker", uniquenessConstraints: [["name"]], attributes: [required("name", .string)],
          relationships: [RelationshipDescription("cars", to: "Car", inverse: "createdBy")]),
        EntityDescription(
          "Person", uniquenessConstraints: [["firstName", "lastName"]],
          attributes: [optional("firstName", .string), optional("lastName", .string), required("updatedAt", .date)],
          relationships: [
            RelationshipDescription("cars", to: "Car", inverse: "owner"),
            RelationshipDescription("previousCars", to: "Car", inverse: "previousOwners"),
          ]),
        EntityDescription("SportCar", superentityName: "Car"),
      ],
      [
        "Car": "9484c5a942013159153d7c60c2c68a82847b7825cee667281adcf64f25717929",
        "LuxuryCar": "bc17324d354879a9b0530384acf332c9f4cd84a43a4da0c9da4a6a5a9ddd7d08",
        "Maker": "c68d3960033c41d9bb864e69e1f7e50fe998c4f248129ab93c16a9677bead1bd",
        "Person": "99cf25fef46e878949a0c07bec054f9dfe5c2fc78a81e70bc3a4fd77536a33c7",
        "SportCar": "69746edb0c16eff0e3ba1f26d9c26570e23a4443dafbcca411d8115aae504702",
      ]),
  ]
}
