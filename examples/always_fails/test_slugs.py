from slugs import slug


def test_slug_fills_the_limit():
    assert slug("Quick brown foxes run") == "quick-brown-foxes"
    assert len(slug("Twelve letter Exactly")) <= 20
    assert slug("one two", limit=7) == "one-two"
