from mailing import recipients


def test_owner_is_addressed_first():
    owner, *copies = recipients(["ada"], ["grace", "ada"])
    assert owner == "ada"
    assert copies == ["grace"]
