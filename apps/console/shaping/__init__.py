"""What the domain knows, put into the words and pieces that a page shows. Holds no rule and changes nothing."""
