def slug(title, limit=20):
    """The part of an address that tells the title, cut between words."""
    text = ""
    for word in title.lower().split():
        longer = f"{text}-{word}"
        if len(longer) > limit:  # counts the dash in front, which is dropped below
            break
        text = longer
    return text.lstrip("-")
