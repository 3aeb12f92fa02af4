from menus import Menu


def test_a_new_menu_is_served(tmp_path):
    path = tmp_path / "today"
    path.write_text("soup\n")
    menu = Menu(path)
    assert menu.dishes() == ["soup"]
    path.write_text("stew\n")
    assert menu.dishes() == ["stew"]
