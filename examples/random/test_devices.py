from devices import new_name


def test_name_is_a_valid_host_label():
    name = new_name()
    assert len(name) == 8
    # A label of digits alone would be read as part of an address.
    assert name[0].isalpha(), f"{name} starts with a digit"
