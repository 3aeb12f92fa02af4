def recipients(*lists):
    """Everyone on the lists, once each. The first is addressed, the others get a copy."""
    everyone = set()
    for names in lists:
        everyone.update(names)
    return list(everyone)
