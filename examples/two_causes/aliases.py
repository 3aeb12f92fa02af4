"""Names by which a person is known; reports use the first."""
ALIASES = {"countess lovelace": {"ada"}}


def add(person, alias):
    ALIASES[person].add(alias)


def heading(person):
    return next(iter(ALIASES[person])).title()
