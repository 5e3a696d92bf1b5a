"""The verbs: one file, one public function of the same name."""
