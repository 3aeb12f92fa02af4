from usage import build_parser


def test_help_says_how_long_copies_are_kept():
    assert "days to keep older copies of it" in build_parser().format_help()
