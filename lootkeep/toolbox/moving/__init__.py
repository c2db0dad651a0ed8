"""Moving a store: to a folder of files, from such a folder, and from one database to another."""
