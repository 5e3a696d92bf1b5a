"""One module an area of the console."""
