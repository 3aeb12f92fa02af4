from labels import read_labels


def test_labels_are_read():
    assert read_labels() == ["Käse", "Brot"]
