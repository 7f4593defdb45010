"""The door: REST API, web page and command line."""
