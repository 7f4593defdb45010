"""One file per vendor; nothing outside this package names them. Import these only in wiring."""
