import aliases


def test_a_second_alias_is_kept():
    aliases.add("countess lovelace", "augusta")
    assert "augusta" in aliases.ALIASES["countess lovelace"]


def test_unknown_people_have_none():
    assert "nobody" not in aliases.ALIASES


def test_heading_is_the_first_alias():
    assert aliases.heading("countess lovelace") == "Ada"
