extension OutputFormat: ExpressibleByArgument {}
