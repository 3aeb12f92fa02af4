from labels import label


def test_a_label_names_its_paper():
    assert label("Ada", "London") == "Ada\nLondon (A6)"
