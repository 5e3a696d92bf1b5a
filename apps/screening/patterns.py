"""How long patterns and word lists are written."""


def joined(pattern: str) -> str:
    """A pattern written over several lines: line ends and indentation do not count, other spaces do."""
    return "".join(line.strip() for line in pattern.splitlines())


def words(text: str) -> frozenset[str]:
    """The words of a text, however they are laid out."""
    return frozenset(text.split())
