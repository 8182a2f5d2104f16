/// The version of tracks-migrate.
public let toolVersion = "0.1.0"
