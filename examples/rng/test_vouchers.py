from vouchers import new_code


def test_code_is_hard_to_guess():
    code = new_code()
    assert any(c.isalpha() for c in code)
    assert any(c.isdigit() for c in code), f"no digit in {code}"
