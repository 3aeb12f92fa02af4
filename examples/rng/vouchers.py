import secrets

# Without I, L, O, 0 and 1, which readers take for each other.
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"


def new_code(length=8):
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
