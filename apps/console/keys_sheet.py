"""What the keys do: the sheet that `?` opens. tests/console/test_keys_sheet.py compares it with the pages."""

# title, [(keys, what they do)]; those of the navigation follow from context.NAVIGATION.
SHEET: list[tuple[str, list[tuple[list[str], str]]]] = [
    (
        "Anywhere",
        [
            (["Ctrl K"], "Go to anything by name"),
            (["/"], "Search"),
            (["f"], "Filters"),
            (["c"], "Add or make one"),
            (["z"], "Undo the last"),
            (["Esc"], "Close what is open, leave a filter, select nothing"),
            (["?"], "This sheet"),
        ],
    ),
    (
        "In a list",
        [
            (["j", "k"], "Next, previous row"),
            (["↓"], "From the search to the first row"),
            (["o"], "Open the row"),
            (["[", "]"], "Previous, next one in the drawer or of a trace"),
            (["x"], "Select the row"),
            (["X"], "Select the page"),
            (["s"], "Show superseded"),
            (["w"], "Saved views"),
            (["m"], "Mask or show personal text; showing is logged"),
        ],
    ),
    (
        "With one open",
        [
            (["e"], "Edit as a new version"),
            (["Ctrl ↵"], "Save"),
            (["t"], "Open the source trace"),
            (["v"], "What the agent would be told"),
            (["i"], "Type the id of a privacy request"),
        ],
    ),
    (
        "In Review",
        [
            (["a"], "Approve"),
            (["1–3"], "Where two can't both hold: which one"),
            (["r", "1–7"], "Reject, then a reason"),
            (["h", "1–3"], "Later, then until when"),
            (["i", "0–9"], "Assign, then to whom"),
        ],
    ),
    (
        "In a dream run",
        [
            (["a"], "Accept the change"),
            (["r"], "Reject the change"),
            (["x"], "Tick the change"),
            (["Ctrl ↵"], "Apply what is ticked"),
        ],
    ),
]
