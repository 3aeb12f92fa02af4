import spreadsheet_of_the_shop  # a package that is not installed


def test_export():
    assert spreadsheet_of_the_shop.write([]) == b""
