// swift-format-ignore-file
// The same policy for an app that keeps more of the answer: artists, albums and images, each found again by a fetch.
import CoreData

struct Answer: Decodable {
    let artists: [Song.Artist]
    let album: Album

    struct Album: Decodable {
        let id: String
        let name: String
        let images: [Image]
    }

    struct Image: Decodable {
        let url: String
    }
}

class RelatedPolicy: NSEntityMigrationPolicy {
    private let decoder = JSONDecoder()

    override func createDestinationInstances(forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let track = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first,
            let jsonString = sInstance.value(forKey: "json") as? String,
            let answer = try? decoder.decode(Answer.self, from: Data(jsonString.utf8))
        else { return }
        let context = manager.destinationContext
        let artists = answer.artists.map { artist in
            findOrCreate("Artist", "name", artist.name, context) { new in
                new.setValue(artist.imageURL, forKey: "imageURL")
                new.setValue(artist.id, forKey: "id")
            }
        }
        let album = findOrCreate("Album", "name", answer.album.name, context) { $0.setValue(answer.album.id, forKey: "id") }
        let images = answer.album.images.map { findOrCreate("Image", "url", $0.url, context) { _ in } }
        track.setValue(Set(artists), forKey: "artists")
        track.setValue(Set([album]), forKey: "albums")
        track.setValue(Set(images), forKey: "images")
    }

    private func findOrCreate(_ entity: String, _ key: String, _ value: String, _ context: NSManagedObjectContext, fill: (NSManagedObject) -> Void) -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.fetchLimit = 1
        request.predicate = NSPredicate(format: "%K == %@", key, value)
        if let found = try? context.fetch(request).first {
            return found
        }
        let new = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        new.setValue(value, forKey: key)
        fill(new)
        return new
    }
}
