from slugs import slug


def test_slug_fills_the_limit():
    assert slug("Release notes") == "release-notes"
    assert slug("One two", limit=7) == "one-two"
    assert len(slug("A very long title indeed", limit=10)) <= 10
