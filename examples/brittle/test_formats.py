import formats


def test_nothing_is_registered_twice():
    formats.register_defaults()
    assert len(formats.FORMATS) == 2


def test_csv_is_parted_by_commas():
    assert formats.separator("csv") == ","  # only after the test above
