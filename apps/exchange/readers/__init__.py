"""What can be brought in, one file a shape. Each reads a file piece by piece, so that its size costs no memory."""
