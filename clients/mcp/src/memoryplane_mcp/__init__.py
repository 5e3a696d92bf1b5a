"""An MCP server in front of a memoryplane: four tools, each asked for under the caller's key. It keeps nothing."""
