"""One module an area of the API."""
