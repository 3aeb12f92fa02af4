from album import captions


def test_captions_come_in_order(tmp_path):
    for n, caption in enumerate(["departure", "the lake", "home again"]):
        (tmp_path / f"{n}.txt").write_text(caption + "\n", encoding="utf-8")
    assert captions(tmp_path) == ["departure", "the lake", "home again"]
